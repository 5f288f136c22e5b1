"use strict";
const token = location.hash.slice(1);
const at = (id) => document.getElementById(id);
const headers = { authorization: `Bearer ${token}` };

function fill(id, rows, tag) {
  at(id).replaceChildren(...rows.map((cells) => {
    const row = document.createElement(tag === "ul" ? "li" : "tr");
    for (const [text, kind] of cells) {
      const cell = tag === "ul" ? document.createElement("span") : document.createElement("td");
      cell.textContent = text;
      if (kind) cell.className = kind;
      row.append(cell);
    }
    return row;
  }));
}

function shown(value, unit) {
  if (value === null) return "unknown";
  if (typeof value === "number" && value >= 1e9) return "none in view";
  const text = typeof value === "number" ? String(Math.round(value * 1000) / 1000) : String(value);
  return unit ? `${text} ${unit}` : text;
}

function now(rule) {
  if (rule.is_enforced) return ["enforced", "enforced"];
  return rule.is_active ? ["active", "active"] : ["not active", "free"];
}

function show(state) {
  at("about").textContent = `Spec ${state.spec}, tool map ${state.map}`;
  alarm(state.lost || state.distrusted || state.halted || state.log_broken || (state.is_ready ? "" : "Waiting for the robot's sensors."));
  at("running").textContent = state.running
    ? `${state.running.tool} ${JSON.stringify(state.running.args)}, for ${state.running.for_s} s` : "none";
  fill("rules", state.rules.map((rule) => [[rule.id], [rule.title], now(rule)]));
  fill("signals", state.signals.map((s) => [[s.name], [shown(s.value, s.unit)]]));
  const dues = state.obligations.map((d) => [[`${d.id}: ${d.action} ${d.is_met ? "done" : `within ${d.left_s} s`}`]]);
  fill("obligations", dues.length ? dues : [[["none"]]], "ul");
  fill("decisions", state.decisions.map((d) => [[d.ago_s.toFixed(1)], [d.kind, d.kind], [d.what], [d.why]]));
}

function alarm(text) {
  at("alarm").hidden = !text;
  if (at("alarm").textContent !== text) at("alarm").textContent = text;
}

async function look() {
  try {
    const answer = await fetch("state", { headers, cache: "no-store" });
    if (answer.ok) show(await answer.json());
    else alarm(await answer.text());
  } catch {
    alarm("The guard does not answer. What this page shows is old.");
  }
  setTimeout(look, 300);
}

async function act(path) {
  try {
    const answer = await fetch(path, { method: "POST", headers });
    if (!answer.ok) alarm(await answer.text());
  } catch {
    alarm("The guard does not answer. Use the robot's own stop.");
  }
}

at("stop").addEventListener("click", () => act("stop"));
at("reset").addEventListener("click", () => act("reset"));
at("reload").addEventListener("click", () => act("reload"));
look();
