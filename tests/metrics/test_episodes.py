"""Episodes counted: what enters the rate and what does not."""

from __future__ import annotations

from heedful.labels.episode import EpisodeLabel
from heedful.metrics.episodes import tally_episodes

SUCCESS = EpisodeLabel("SUCCESS", "centre")
FAILURE = EpisodeLabel("FAILURE", "centre", "wrong_object")
INVALID = EpisodeLabel("INVALID", "centre", cause="an object left the simulated world")
ABSENT = EpisodeLabel("NOT_APPLICABLE", "centre", cause="the level lacks the task")


def test_invalid_and_not_applicable_never_enter_the_rate() -> None:
    found = tally_episodes([SUCCESS, SUCCESS, FAILURE, INVALID, ABSENT, ABSENT])
    assert (found.success.value, found.success.n, found.success.n_excluded) == (2 / 3, 3, 1)
    assert (found.success.worst, found.success.best) == (2 / 4, 3 / 4)
    assert found.outcomes == {"SUCCESS": 2, "NOT_APPLICABLE": 2, "FAILURE": 1, "INVALID": 1}
    assert found.reasons == {"FAILURE wrong_object": 1}
    assert found.causes == {
        "NOT_APPLICABLE: the level lacks the task": 2,
        "INVALID: an object left the simulated world": 1,
    }


def test_nothing_decided_has_no_rate() -> None:
    found = tally_episodes([ABSENT])
    assert found.success.value is None
    assert found.success.reason
