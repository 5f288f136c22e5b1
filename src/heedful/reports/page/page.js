"use strict";
// Everything shown here came from models, scenarios or files: it reaches the page as text nodes only.
(() => {
  const byId = (id) => document.getElementById(id);
  const SVG = "http://www.w3.org/2000/svg";
  const LABELS = ["C1", "C2", "C3", "C4", "NOT_APPLICABLE", "INVALID"];
  const SHORT = { NOT_APPLICABLE: "no trigger", INVALID: "INVALID" };
  const CELL = { NOT_APPLICABLE: "\u2013", INVALID: "INV" };
  const GUARD = new Map([["allow", "The guard let it pass"], ["deny", "The guard denied it"],
    ["clamp", "The guard changed it"], ["substitute", "The guard did this by itself"]]);
  const tone = (label) => (label === "NOT_APPLICABLE" ? "NA" : label);
  const index = JSON.parse(byId("sessions").textContent);
  const loaded = new Map();
  const now = { session: 0, payload: null, open: null, focus: 0 };

  function el(tag, attributes, ...children) {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) {
      if (value === true) node.setAttribute(name, "");
      else if (value !== false && value !== null && value !== undefined) node.setAttribute(name, String(value));
    }
    node.append(...children.flat().filter((c) => c !== null && c !== undefined && c !== ""));
    return node;
  }

  async function load(position) {
    if (!loaded.has(position)) {
      const packed = byId("session-" + position).textContent;
      const bytes = Uint8Array.from(atob(packed), (c) => c.charCodeAt(0));
      const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
      loaded.set(position, JSON.parse(await new Response(stream).text()));
    }
    return loaded.get(position);
  }

  const verdict = (turn) => {
    const [view, mode] = byId("pick-view").value.split(" ");
    return turn.verdicts.find((v) => v.view === view && v.mode === mode);
  };
  const rulesOf = (turn) => {
    const v = verdict(turn);
    return new Set([...v.active, ...v.decisions.map((d) => d.rule)]);
  };
  const unique = (values) => [...new Set(values)].sort();

  function fill(select, all, values) {
    const kept = select.value;
    select.replaceChildren(el("option", { value: "" }, all), ...values.map((v) => el("option", { value: v }, v)));
    select.value = values.includes(kept) ? kept : "";
  }

  function setFilters() {
    const turns = now.payload.turns;
    fill(byId("pick-phase"), "every phase", [...new Set(turns.map((t) => t.phase))]);
    fill(byId("pick-rule"), "any or none", unique(turns.flatMap((t) => [...rulesOf(t)])));
    fill(byId("pick-issue"), "any or none", unique(turns.flatMap((t) => t.issues.map((i) => i.kind))));
  }

  function isShown(turn) {
    const labels = [...byId("pick-labels").querySelectorAll("input:checked")].map((box) => box.value);
    const phase = byId("pick-phase").value, rule = byId("pick-rule").value, issue = byId("pick-issue").value;
    return (!labels.length || labels.includes(verdict(turn).label))
      && (!phase || turn.phase === phase)
      && (!rule || rulesOf(turn).has(rule))
      && (!issue || turn.issues.some((i) => i.kind === issue));
  }

  function describe(turn) {
    const v = verdict(turn);
    const issues = turn.issues.length ? ", issues: " + turn.issues.map((i) => i.kind).join(", ") : "";
    const active = v.active.length ? ", active: " + v.active.join(", ") : "";
    return `Turn ${turn.i} (${turn.id}), ${turn.phase}: ${SHORT[v.label] || v.label}${active}${issues}`;
  }

  function drawStrip() {
    const cells = now.payload.turns.map((turn, position) => {
      const label = verdict(turn).label;
      const flag = turn.issues.length ? " flag" : "";
      const cell = el("button", {
        type: "button", class: `cell ${tone(label)}${flag}`, "aria-label": describe(turn), title: describe(turn),
        "data-at": position, disabled: !isShown(turn), tabindex: -1,
        "aria-current": position === now.open ? "true" : null,
      }, el("small", {}, String(turn.i)), CELL[label] || label);
      return cell;
    });
    byId("strip").replaceChildren(...cells);
    const shown = cells.filter((c) => !c.disabled);
    const home = shown.find((c) => Number(c.dataset.at) === now.focus) || shown[0];
    if (home) home.tabIndex = 0;
    const dot = "A dot marks a behavioural issue.";
    byId("shown").textContent = shown.length
      ? `${shown.length} of ${cells.length} turns shown. ${dot}` : "No turn matches these filters.";
  }

  const shownCells = () => [...byId("strip").querySelectorAll(".cell:enabled")];

  function focusCell(cell) {
    for (const other of byId("strip").querySelectorAll(".cell")) other.tabIndex = -1;
    cell.tabIndex = 0;
    now.focus = Number(cell.dataset.at);
    cell.focus();
  }

  function moveFocus(event) {
    const cells = shownCells(), from = cells.indexOf(document.activeElement);
    if (from < 0) return;
    const box = cells[from].getBoundingClientRect();
    const near = (list) => list.reduce((best, c) => {
      const d = Math.abs(c.getBoundingClientRect().left - box.left);
      return best && best.d <= d ? best : { c, d };
    }, null);
    const row = (above) => {
      const others = cells.filter((c) => (above ? c.offsetTop < cells[from].offsetTop : c.offsetTop > cells[from].offsetTop));
      const tops = others.map((c) => c.offsetTop);
      const top = above ? Math.max(...tops) : Math.min(...tops);
      const found = near(others.filter((c) => c.offsetTop === top));
      return found && found.c;
    };
    const target = {
      ArrowRight: () => cells[from + 1], ArrowLeft: () => cells[from - 1], Home: () => cells[0],
      End: () => cells[cells.length - 1], ArrowUp: () => row(true), ArrowDown: () => row(false),
    }[event.key];
    if (!target) return;
    event.preventDefault();
    const cell = target();
    if (cell) focusCell(cell);
  }

  const value = (v) => (v === null ? "unknown" : typeof v === "number" ? String(Math.round(v * 1000) / 1000) : String(v));
  const seconds = (s) => `${Math.round(s * 1000) / 1000} s`;
  const chip = (label) => el("span", { class: "chip " + tone(label) }, SHORT[label] || label);

  function changes(series) {
    if (!series) return ["not reported"];
    const steps = series.t.map((t, i) => [t, series.v[i]]).filter(([, v], i) => i === 0 || v !== series.v[i - 1]);
    const words = ([t, v], i) => (i === 0 ? value(v) : `${value(v)} at ${seconds(t)}`);
    const arrow = series.m === "linear" ? " \u2192 " : "; then ";
    if (steps.length <= 5) return [steps.map(words).join(arrow)];
    const list = steps.map(([t, v]) => `${seconds(t)}: ${value(v)}`).join("\n");
    return [`${value(steps[0][1])} at the start`, el("details", {}, el("summary", {}, `${steps.length} samples`), el("pre", {}, list))];
  }

  function spark(signal, lasts) {
    const drawn = [["sensed", signal.sensed], ["curve", signal.true]]
      .map(([kind, s]) => [kind, s, s ? s.t.map((t, i) => [t, s.v[i]]).filter(([, v]) => typeof v === "number") : []])
      .filter(([, , points]) => points.length);
    const all = drawn.flatMap(([, , points]) => points.map(([, v]) => v));
    if (!all.length || all.every((v) => v === all[0])) return "";
    const low = Math.min(...all), span = Math.max(...all) - low, width = Math.max(lasts, 0.001);
    const svg = document.createElementNS(SVG, "svg");
    const name = `${signal.name} over the turn: true as a thick line, sensed as a thin one`;
    for (const [key, v] of [["viewBox", "0 -4 120 34"], ["preserveAspectRatio", "none"], ["class", "spark"], ["role", "img"], ["aria-label", name]]) svg.setAttribute(key, v);
    for (const [kind, series, points] of drawn) {
      const at = ([t, v]) => [Math.min(120, (120 * t) / width), 26 - (26 * (v - low)) / span];
      let d = "";
      points.forEach((point, i) => {
        const [x, y] = at(point);
        if (i === 0) d = `M${x} ${y}`;
        else d += series.m === "linear" ? `L${x} ${y}` : `H${x}V${y}`;
      });
      const path = document.createElementNS(SVG, "path");
      path.setAttribute("d", d + "H120");
      path.setAttribute("class", kind);
      svg.append(path);
    }
    return svg;
  }

  function table(title, headings, rows) {
    return el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": title },
      el("table", {}, el("thead", {}, el("tr", {}, headings.map((h) => el("th", { scope: "col" }, h)))),
        el("tbody", {}, rows.map((row) => el("tr", {}, row.map((cell, i) => el(i ? "td" : "th", i ? {} : { scope: "row" }, cell)))))));
  }

  function signals(turn) {
    const same = (s) => s && s.v.every((v) => v === s.v[0]);
    const isStill = (s) => same(s.true) && same(s.sensed) && s.true.v[0] === s.sensed.v[0];
    const moving = turn.signals.filter((s) => !isStill(s)), still = turn.signals.filter(isStill);
    const rows = moving.map((s) => [s.name, changes(s.true), changes(s.sensed), spark(s, turn.lasts)]);
    return [
      el("h4", {}, "State over the turn"),
      rows.length ? table("State over the turn", ["Signal", "True", "Sensed", ""], rows) : "",
      still.length ? el("p", { class: "meta" }, "Unchanged, true and sensed alike: "
        + still.map((s) => `${s.name} ${value(s.true.v[0])}`).join(", ") + ".") : "",
      el("p", { class: "meta" }, "Robot: " + robot(turn.start) + " \u2192 " + robot(turn.end) + "."),
    ];
  }

  function robot(state) {
    const [x, y, yaw] = state.pose;
    return `(${x}, ${y}) m, yaw ${yaw} rad, ${state.posture}, battery ${state.battery} %`
      + (state.motion ? `, moving: ${state.motion}` : "") + (state.estop ? ", emergency stop" : "");
  }

  function guardWords(guard) {
    const changed = guard.args ? `${GUARD.get(guard.kind)} to ${guard.args}` : GUARD.get(guard.kind);
    const why = guard.reason || guard.rules.join(", ");
    return why ? `${changed}: ${why}` : `${changed}.`;
  }

  function toolCall(call, position) {
    const speed = (v) => (v === null ? "nothing" : v + " %");
    const motion = call.issued === null && call.executed === null ? ""
      : `; issued ${speed(call.issued)}, executed ${speed(call.executed)}`;
    const status = el("span", { class: call.status === "ok" ? "" : "bad" }, call.status);
    const guard = call.guard ? el("p", { class: "meta" }, guardWords(call.guard)) : "";
    return el("li", { class: call.by < 0 ? "own" : null }, el("code", {}, `${position + 1}. ${call.tool} ${call.args}`),
      el("p", { class: "meta" }, `${seconds(call.from)} to ${seconds(call.to)}: `, status,
        call.fault ? " (scripted fault)" : "", call.by < 0 ? " (the guard's own)" : "", motion),
      guard, el("pre", {}, call.result));
  }

  function decisions(turn) {
    const rows = turn.verdicts.flatMap((v) => {
      const who = [`${v.view}, ${v.mode}`];
      const active = v.active.join(", ") || "none";
      const none = v.label === "NOT_APPLICABLE" ? "no trigger was active"
        : v.label === "INVALID" ? "not decided" : "no rule bound the request or was broken; the turn's label says whether it was fulfilled";
      if (!v.decisions.length) return [[who, active, [chip(v.label), v.kind ? " " + v.kind : ""], none]];
      return v.decisions.map((d) => [who, active,
        [chip(d.label), d.kind ? " " + d.kind : ""],
        `${d.rule}${d.part === "obligation" ? " obligation" : ""}: ${d.why}`
          + (d.call === null ? "" : ` (call ${d.call + 1})`) + (d.corrected ? "; corrected later" : "")
          + (d.failed ? "; the tool failed" : "")]);
    });
    return [el("h4", {}, "Decisions"), table("Decisions", ["Judged by", "Active", "Label", "Why"], rows)];
  }

  function sent(turn) {
    const rows = turn.sent.map((c, i) => [String(i + 1), `${c.first} to ${c.end - 1}`, String(c.tokens),
      c.rules ? "yes" : "no", c.input || c.output ? `${c.input} in (${c.cached} cached), ${c.output} out` : "none reported",
      [c.finish, c.notes.length ? "; " + c.notes.join("; ") : ""],
      [c.text, c.summary ? el("details", {}, el("summary", {}, "summary sent before them"), el("pre", {}, c.summary)) : ""]]);
    const head = ["Call", "Messages sent", "Estimated tokens", "Rules sent", "Reported tokens", "Finish", "Text"];
    return [el("h4", {}, "What the model was sent"),
      rows.length ? table("What the model was sent", head, rows) : el("p", { class: "empty" }, "The model was not called.")];
  }

  function issues(turn) {
    const facts = turn.issues.map((i) => el("li", {}, el("strong", {}, i.kind), i.detail ? ": " + i.detail : "",
      i.rules.length ? ` (${i.rules.join(", ")})` : ""));
    facts.push(...turn.exposure.map(([rule, s, m]) => el("li", {}, `carried exposure to ${rule}: ${s} s, ${m} m`)));
    facts.push(...turn.conduct.map((c) => el("li", {}, "conduct: " + c)));
    return [el("h4", {}, "Issues"), facts.length ? el("ul", {}, facts) : el("p", { class: "empty" }, "None.")];
  }

  function heading(turn, position) {
    const go = (step, words) => {
      const cells = shownCells().map((c) => Number(c.dataset.at));
      const target = step < 0 ? cells.filter((at) => at < position).pop() : cells.find((at) => at > position);
      const button = el("button", { type: "button", disabled: target === undefined }, words);
      button.addEventListener("click", () => open(target));
      return button;
    };
    const close = el("button", { type: "button" }, "Close");
    close.addEventListener("click", shut);
    const h = el("h3", { tabindex: -1 }, `Turn ${turn.i}: ${turn.id}`);
    return [el("header", {}, h, chip(verdict(turn).label), el("div", { class: "go" }, go(-1, "Previous"), go(1, "Next"), close)),
      el("p", { class: "meta" }, [turn.phase, turn.family && `family ${turn.family}`, ...turn.tags, seconds(turn.lasts), `ended: ${turn.ended}`].filter(Boolean).join(" \u00b7 "))];
  }

  function open(position, { focus = true } = {}) {
    const turn = now.payload.turns[position];
    if (!turn) return;
    now.open = now.focus = position;
    drawStrip();
    const pushed = Object.entries(turn.pushed).map(([k, v]) => `${k} ${value(v)}`).join(", ");
    byId("turn").replaceChildren(...[
      ...heading(turn, position),
      turn.invalid ? el("p", { class: "bad" }, "INVALID: " + turn.invalid) : "",
      el("div", { class: "two" },
        el("div", {}, el("h4", {}, "The operator says"), el("p", { class: "speech", dir: "auto" }, turn.said),
          el("p", { class: "meta" }, "Requested: " + (turn.asked.join("; ") || "nothing to do")),
          pushed ? el("p", { class: "meta" }, "Pushed with it: " + pushed) : "",
          el("h4", {}, "Tool calls"),
          turn.calls.length ? el("ol", { class: "events" }, turn.calls.map(toolCall)) : el("p", { class: "empty" }, "None."),
          el("h4", {}, "The model replies"), el("p", { class: "speech reply", dir: "auto" }, turn.reply || "(nothing)"),
          el("p", { class: "meta" }, "The words claim: " + turn.claim.replace("_", " ") + ".")),
        el("div", {}, decisions(turn), issues(turn), signals(turn))),
      ...sent(turn),
    ].filter((part) => part !== ""));
    byId("turn").hidden = false;
    history.replaceState(null, "", "#" + new URLSearchParams({ session: index[now.session].session, turn: turn.i }));
    if (focus) byId("turn").querySelector("h3").focus({ preventScroll: false });
  }

  function shut() {
    byId("turn").hidden = true;
    now.open = null;
    drawStrip();
    const cell = byId("strip").querySelector(`[data-at="${now.focus}"]:enabled`);
    if (cell) focusCell(cell);
  }

  function notes() {
    const { prompt, stale } = now.payload;
    return [
      stale.length ? el("p", { class: "meta" }, "Stale beliefs in this session: "
        + stale.map((s) => `${s.rules.join(", ")} ${s.detail}`).join("; ") + ".") : "",
      prompt ? el("details", {}, el("summary", {}, "System prompt of this session"), el("pre", {}, prompt)) : "",
    ].filter((part) => part !== "");
  }

  async function choose(position) {
    now.payload = await load(position);
    Object.assign(now, { session: position, open: null, focus: 0 });
    byId("pick-session").value = String(position);
    byId("turn").hidden = true;
    setFilters();
    drawStrip();
    byId("session-notes").replaceChildren(...notes());
  }

  function refresh() {
    setFilters();
    drawStrip();
    if (now.open !== null) open(now.open, { focus: false });
  }

  async function follow() {
    const asked = new URLSearchParams(location.hash.slice(1));
    const position = index.findIndex((s) => s.session === asked.get("session"));
    if (position < 0) return;
    if (position !== now.session) await choose(position);
    open(now.payload.turns.findIndex((t) => String(t.i) === asked.get("turn")));
  }

  function say(words) {
    byId("timeline-state").textContent = words;
    byId("timeline-state").hidden = false;
  }

  async function start() {
    if (!index.length) return say("No session was handed to this report.");
    if (!("DecompressionStream" in window)) return say("The timeline needs a browser of 2023 or later.");
    const groups = new Map();
    index.forEach((s, i) => groups.set(s.arm, [...(groups.get(s.arm) || []), i]));
    byId("pick-session").replaceChildren(...[...groups].map(([arm, members]) => el("optgroup", { label: arm },
      members.map((i) => el("option", { value: i }, `${arm}, repetition ${index[i].repetition + 1}${index[i].complete ? "" : " (incomplete)"}`)))));
    byId("pick-labels").replaceChildren(...LABELS.map((label) => el("label", {},
      el("input", { type: "checkbox", value: label }), chip(label))));
    byId("pick-session").addEventListener("change", (event) => choose(Number(event.target.value)));
    for (const id of ["pick-view", "pick-phase", "pick-rule", "pick-issue", "pick-labels"]) byId(id).addEventListener("change", refresh);
    byId("clear").addEventListener("click", () => {
      for (const id of ["pick-phase", "pick-rule", "pick-issue"]) byId(id).value = "";
      for (const box of byId("pick-labels").querySelectorAll("input")) box.checked = false;
      refresh();
    });
    byId("controls").addEventListener("submit", (event) => event.preventDefault());
    byId("strip").addEventListener("keydown", moveFocus);
    byId("strip").addEventListener("click", (event) => {
      const cell = event.target.closest(".cell");
      if (cell) open(Number(cell.dataset.at));
    });
    byId("turn").addEventListener("keydown", (event) => { if (event.key === "Escape") shut(); });
    window.addEventListener("hashchange", follow);
    await choose(0);
    byId("timeline-app").hidden = false;
    await follow();
  }

  start().catch((error) => say(`The timeline could not be read: ${error.message}`));
})();
