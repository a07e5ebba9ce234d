#!/usr/bin/env python3
"""Tests of recordings: what a folder has to hold, what is measured, how much of it is chance, and the page."""

import argparse
import json
import tempfile
import unittest
from pathlib import Path

import numpy as np
import soundfile
import soxr

import recording_facts
import recording_report
import recording_score
import recordings
import score
import spread
from programs import Part
from recording_score import ScoredRecording
from recordings import BadRecordings

RATE = 16_000
SECONDS = 6
FRAMES = SECONDS * RATE
DELAY = 480  # frames: 30 ms


class LevelOpinion:
    """Says of every sound how loud it is, in place of AECMOS."""

    def features(self, samples):
        return 10 * np.log10(np.mean(np.square(samples)) + 1e-12)

    def rate(self, scenario, _far, _mic, processed):
        return (processed, len(scenario)) if scenario == "st" else (processed, -processed)


class Folder(unittest.TestCase):
    """A folder with one recording of each kind: noise, and its echo 30 ms later, 12 dB softer."""

    def setUp(self):
        self.root = Path(self.enterContext(tempfile.TemporaryDirectory()))
        random = np.random.default_rng(1)
        self.far = 0.2 * random.normal(size=FRAMES)
        self.mic = 0.25 * np.concatenate([np.zeros(DELAY), self.far])[:FRAMES] + 1e-4 * random.normal(size=FRAMES)
        self.near = 0.1 * random.normal(size=FRAMES) * (np.arange(FRAMES) % RATE < RATE // 2)
        self.listed = [
            {"name": "alone", "kind": "st", "device": "a", "repo": "who/what"},
            {"name": "moved", "kind": "dtmove"},
            {"name": "both", "kind": "dt", "near": True},
        ]
        for case in self.listed:
            self.record(case["name"], "far", self.far)
            self.record(case["name"], "mic", self.mic + (self.near if case["kind"] != "st" else 0))
        self.record("both", "near", self.near, suffix="wav")
        self.describe(self.listed)

    def record(self, case, part, samples, rate=RATE, suffix="flac"):
        path = self.root / "cases" / case / f"{part}.{suffix}"
        path.parent.mkdir(parents=True, exist_ok=True)
        soundfile.write(path, samples, rate, subtype="PCM_16")
        return path

    def describe(self, listed):
        (self.root / "meta.json").write_text(listed if isinstance(listed, str) else json.dumps(listed))

    def refusal(self, listed=None):
        if listed is not None:
            self.describe(listed)
        with self.assertRaises(BadRecordings) as caught:
            recordings.read(self.root)
        return str(caught.exception)

    def case(self, name):
        return next(case for case in recordings.read(self.root) if case["name"] == name)

    def scored(self, name, processed, rate=RATE):
        path = self.root / "processed.wav"
        soundfile.write(path, processed, rate, subtype="FLOAT")
        return ScoredRecording(self.root / "cases", self.case(name), LevelOpinion()).score(path)


class Reading(Folder):
    def test_a_folder_is_read_and_its_kinds_are_grouped(self):
        cases = recordings.read(self.root)
        self.assertEqual([case["kind"] for case in cases], ["st", "dt+move", "dt"])
        self.assertEqual([recordings.scenario(case) for case in cases], ["st", "dt", "dt"])
        self.assertEqual([case["near"] for case in cases], [False, False, True])
        self.assertEqual(cases[0]["repo"], "who/what")

    def test_other_sound_has_another_digest(self):
        before = self.case("alone")["digest"]
        self.record("alone", "mic", self.mic / 2)
        self.assertNotEqual(self.case("alone")["digest"], before)

    def test_what_is_wrong_is_named_with_its_file_and_field(self):
        self.assertIn("meta.json is no JSON", self.refusal("{"))
        self.assertIn("is no list of recordings", self.refusal({}))
        self.assertIn("is no list of recordings", self.refusal([]))
        self.assertIn("recording 1: 3 is no object", self.refusal([3]))
        self.assertIn('recording 1: "name"', self.refusal([{"kind": "st"}]))
        self.assertIn('"../x"', self.refusal([{"name": "../x", "kind": "st"}]))
        self.assertIn('recording 1, alone: "kind" has to be a text, and is null', self.refusal([{"name": "alone"}]))
        self.assertIn('"near" has to be true or false', self.refusal([self.listed[0] | {"near": "no"}]))
        self.assertIn('"device" has to be a text', self.refusal([self.listed[0] | {"device": 3}]))
        self.assertIn('the "name" "alone"', self.refusal([self.listed[0], self.listed[0]]))

    def test_sound_that_is_missing_or_unreadable_is_named(self):
        missing = self.refusal([self.listed[0] | {"near": True}])
        self.assertIn("cases/alone/near.flac is missing, and so is near.wav", missing)
        (self.root / "cases/alone/mic.flac").write_text("no sound")
        self.assertIn("cases/alone/mic.flac cannot be read", self.refusal(self.listed))
        self.record("alone", "mic", self.mic, rate=4_000)
        self.assertIn("at 4000 Hz: 8 kHz is the least", self.refusal())

    def test_a_folder_without_a_list_is_refused(self):
        (self.root / "meta.json").unlink()
        self.assertIn("meta.json cannot be read: No such file", self.refusal())


class Scoring(Folder):
    def test_erle_is_by_how_much_the_power_falls_and_never_more_than_60(self):
        found = self.scored("alone", self.mic / 10)
        self.assertEqual(set(found), {"echo", "erle", "first"})
        self.assertAlmostEqual(found["erle"], 20, delta=0.1)
        self.assertAlmostEqual(found["first"], 20, delta=0.1)
        self.assertEqual(self.scored("alone", np.zeros(FRAMES))["erle"], 60)

    def test_the_first_2_s_of_the_far_end_are_counted_apart(self):
        processed = self.mic * np.where(np.arange(FRAMES) < 2 * RATE, 1, 0.01)
        found = self.scored("alone", processed)
        self.assertAlmostEqual(found["first"], 0, delta=0.1)
        self.assertAlmostEqual(found["erle"], 40, delta=1)

    def test_a_silent_far_end_has_no_erle(self):
        self.record("alone", "far", np.zeros(FRAMES))
        self.assertEqual(set(self.scored("alone", self.mic)), {"echo"})

    def test_where_both_talk_there_is_an_opinion_of_the_near_end_and_stoi_where_it_is_known(self):
        self.assertEqual(set(self.scored("moved", self.mic)), {"echo", "deg"})
        late = np.concatenate([np.zeros(160), self.near])[:FRAMES]
        found = self.scored("both", late)
        self.assertGreater(found["stoi"], 0.99)
        self.assertLess(self.scored("both", self.mic)["stoi"], found["stoi"])

    def test_other_rates_and_lengths_are_compared_at_16_kHz(self):
        found = self.scored("alone", soxr.resample(self.mic / 10, RATE, 3 * RATE)[:-30_000], 3 * RATE)
        self.assertAlmostEqual(found["erle"], 20, delta=0.5)

    def test_an_opinion_is_the_mean_of_pieces_of_at_most_20_s(self):
        self.assertEqual(recording_score.pieces(20 * RATE), [slice(0, 20 * RATE)])
        heard = recording_score.pieces(45 * RATE)
        self.assertEqual([piece.stop - piece.start for piece in heard], [15 * RATE] * 3)

    def test_scores_are_kept_until_the_sound_changes(self):
        cases, out = [self.case("alone")], self.root / "out"
        out.mkdir()
        soundfile.write(out / "alone.wav", self.mic / 10, RATE, subtype="FLOAT")
        folder = self.root / "cases"
        before = score.score(folder, {"x": out}, cases, False, 1)["x"][0]["erle"]
        kept = json.loads((out / "scores.json").read_text())
        self.assertEqual(score.score(folder, {"x": out}, cases, False, 1)["x"][0]["erle"], before)
        self.assertEqual(json.loads((out / "scores.json").read_text()), kept)
        soundfile.write(out / "alone.wav", self.mic / 100, RATE, subtype="FLOAT")
        self.assertGreater(score.score(folder, {"x": out}, cases, False, 1)["x"][0]["erle"], before + 15)


class Facts(Folder):
    def told(self, name="alone"):
        return "; ".join(recording_facts.facts(self.root / "cases", self.case(name)))

    def test_delay_level_and_what_a_fixed_filter_explains_are_told(self):
        told = self.told()
        self.assertIn("the echo is 30 ms late", told)
        self.assertIn("the microphone is 12 dB softer than the far end", told)
        self.assertRegex(told, "the best fixed filter of 256 ms takes [3-9][0-9] dB away")

    def test_zeros_clipping_and_a_delay_that_moves_are_told(self):
        gated = self.mic * (np.arange(FRAMES) % RATE < RATE // 2)
        self.record("alone", "mic", gated)
        self.assertIn("the microphone is digital silence 50 % of the time", self.told())
        self.record("alone", "mic", np.clip(8 * np.repeat(self.mic[::4], 4), -1, 1))
        self.assertIn("the microphone clips", self.told())
        half = np.arange(FRAMES) < FRAMES // 2
        self.record("alone", "mic", np.where(half, self.mic, np.roll(self.mic, RATE // 20)))
        self.assertIn("30 to 80 ms", self.told())

    def test_a_near_end_that_is_softer_than_the_echo_is_told(self):
        playing = np.arange(FRAMES) < FRAMES // 2
        talking = np.sin(2 * np.pi * 200 * np.arange(FRAMES) / RATE) * (np.arange(FRAMES) % RATE < RATE // 2)
        noise = 0.001 * np.random.default_rng(2).normal(size=FRAMES)
        echo = 0.3 * np.concatenate([np.zeros(DELAY), self.far])[:FRAMES] * playing
        self.record("moved", "far", self.far * playing)
        self.record("moved", "mic", echo + 0.008 * talking + noise)
        told = self.told("moved")
        self.assertIn("the near end is 21 dB softer than the echo", told)
        self.assertIn("the near end is 16 dB over the noise", told)
        self.record("moved", "mic", echo + 0.2 * talking + noise)
        self.assertNotIn("the near end is", self.told("moved"))

    def test_a_silent_far_end_is_told(self):
        self.record("alone", "far", np.zeros(FRAMES))
        self.assertEqual(self.told(), "the far end is silent")


class Chance(Folder):
    def test_the_noise_is_one_bit_and_the_same_again_for_the_same_case_and_number(self):
        silence = np.zeros(1_000)
        noise = spread.noisy(silence, "alone", 1)
        self.assertEqual(set(np.unique(noise * 32_768)), {-1, 0, 1})
        np.testing.assert_array_equal(noise, spread.noisy(silence, "alone", 1))
        self.assertFalse(np.array_equal(noise, spread.noisy(silence, "alone", 2)))
        self.assertFalse(np.array_equal(noise, spread.noisy(silence, "moved", 1)))
        self.assertEqual(np.max(spread.noisy(np.ones(1_000), "alone", 1)), 1 - 2**-15)

    def test_a_repeat_is_the_noisy_far_end_beside_the_same_microphone(self):
        out = self.root / "repeat"
        spread.make((self.root / "cases/alone", out, 1))
        far, rate = soundfile.read(out / "far.wav")
        before, _ = soundfile.read(self.root / "cases/alone/far.flac")
        self.assertEqual(rate, RATE)
        self.assertEqual(np.max(np.abs(far - before)), 2**-15)
        self.assertTrue((out / "mic.flac").samefile(self.root / "cases/alone/mic.flac"))

    def test_the_deviation_is_of_each_case_and_opinion(self):
        rows = [
            [{"name": "alone", "echo": 4 + shift, "erle": 9}, {"name": "both", "echo": 3, "deg": 3}]
            for shift in (0, 1, 0, 1)
        ]
        echo, deg = spread.spreads(rows)
        lines = spread.page_lines([echo, deg], {"echo": "echo MOS", "deg": "near end MOS"})
        self.assertIn(
            f"| echo MOS | {echo.mean:.3f} | {echo.of_case[echo.worst]:.3f} (`{echo.worst}`) | **missed** |", lines
        )
        self.assertEqual(spread.page_lines([], {}), [])
        self.assertAlmostEqual(echo.of_case["alone"], np.std([0, 1, 0, 1], ddof=1))
        self.assertEqual((echo.worst, echo.of_case["both"], deg.of_case), ("alone", 0, {"both": 0}))
        self.assertFalse(echo.holds)
        self.assertTrue(deg.holds)

    def test_the_untouched_microphone_has_none(self):
        self.assertEqual(spread.measure({"untouched": Part("mic")}, self.root, [], self.root / "out", 1), {})


class Page(Folder):
    def setUp(self):
        super().setUp()
        self.listed = [{"name": f"alone{number}", "kind": "st", "repo": "who/what"} for number in range(4)]
        for case in self.listed:
            self.record(case["name"], "far", self.far)
            self.record(case["name"], "mic", self.mic)
        self.describe(self.listed)
        self.cases = recordings.read(self.root)

    def rows(self, program, worst):
        return [
            {"name": case["name"], "kind": "st", "echo": worst if number == 2 else 4.0, "erle": 30.0 + number}
            for number, case in enumerate(self.cases)
        ]

    def test_the_page_names_the_worst_case_what_it_is_and_how_much_is_chance(self):
        table = {"untouched": self.rows("untouched", 2.0), "nearend": self.rows("nearend", 1.5)}
        out, documentation = self.root / "out", self.root / "Documentation"
        for program in table:
            (out / program).mkdir(parents=True)
            for case in self.cases:
                soundfile.write(out / program / f"{case['name']}.wav", self.mic, RATE)
        options = argparse.Namespace(recordings=self.root, out=out)
        chance = {"nearend": [spread.Spread("echo", {case["name"]: 0.1 for case in self.cases})]}
        chosen = {program: Part("mic") for program in table}
        recording_report.write(documentation, options, chosen, self.cases, table, chance)
        page = (documentation / "recordings.md").read_text()
        self.assertIn("| st (4) | echo MOS | 3.50 (2.00) | **3.38** (1.50) | 0.100 (0.100) |", page)
        self.assertIn("**`alone2`** (`st`, 6 s at 16 kHz, who/what)", page)
        self.assertIn("the echo is 30 ms late", " ".join(page.split()))
        self.assertTrue((documentation / "recordings/alone2.png").stat().st_size < recording_report.MOST_BYTES)
        self.assertIn("alone2,1.500", (documentation / "recordings/scores.csv").read_text())
        self.assertNotIn(str(self.root), page)
        self.assertLessEqual(max(len(line) for line in page.splitlines() if "|" not in line), 120)


if __name__ == "__main__":
    unittest.main()
