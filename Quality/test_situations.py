#!/usr/bin/env python3
"""Tests of the situations: what their sounds are, what their passages measure, and that the kinds of cases.py stay."""

import io
import math
import tempfile
import unittest
from contextlib import redirect_stdout
from pathlib import Path
from unittest import mock

import numpy as np
import soundfile
import soxr

import bars
import cases
import recording_facts
import situation_report
import situations
import sound
from kinds import SITUATIONS
from measures import seconds
from passages import PASSAGES, ScoredSituation
from sound import RATE

SEED = 11
SKIP = 11 * RATE // 1_000
# What cases.draw has always drawn: a different random draw would make all scores of a seed different ones.
PROPERTIES = ("rt60", "dist", "delay_ms", "ser_db", "distortion", "snr_db")
DRAWN = {
    ("st", 1, 300): (0.35, 1.45, 82, 1.8, 0.3, 41),
    ("dt", 0, 300): (0.47, 0.41, 109, -4.3, 0.0, 42),
    ("drift", 2, 4711): (0.27, 1.17, 98, -3.3, 0.0, 38, 67),
    ("speaker", 1, 20261123): (0.49, 1.01, 17, 0.5, 0.0, 46, "lopsided"),
    ("babble", 2, 20261124): (0.4, 1.48, 29, 1.9, 0.0, 45, 5),
}
# The levels of far, mic, near and echo, dBFS.
LEVELS = {
    ("move", 0, 300): (-25.039, -28.911, -120.0, -28.911),
    ("drift", 2, 4711): (-24.787, -21.457, -120.0, -21.458),
    ("speaker", 1, 20261123): (-25.111, -22.917, -27.224, -24.946),
    ("music", 0, 300): (-24.442, -21.964, -27.513, -23.455),
}


def level(samples):
    """dBFS."""
    return 10 * math.log10(np.mean(samples**2) + 1e-12)


class FixedOpinion:
    """Says of every sound how loud it is, in place of AECMOS."""

    def features(self, samples):
        return level(samples)

    def rate(self, scenario, _far, _mic, processed):
        return (processed, -processed) if scenario == "dt" else (2 * processed, 0)


class Sounds(unittest.TestCase):
    def made(self, kind, index):
        case = situations.draw(kind, index, SEED)
        return case, situations.build(case)

    def test_a_seed_makes_the_same_sounds_again_and_another_seed_others(self):
        case, first = self.made("clipped", 0)
        _, second = self.made("clipped", 0)
        other = situations.build(situations.draw("clipped", 0, SEED + 1))
        for name in ("far", "mic", "near", "echo"):
            np.testing.assert_array_equal(first[name], second[name])
        self.assertEqual(len(first["mic"]), case["seconds"] * RATE)
        self.assertFalse(np.array_equal(first["mic"], other["mic"]))

    def test_nothing_is_heard_until_the_loudspeaker_is_on(self):
        case, made = self.made("onset", 0)
        self.assertTrue(6 <= case["begin"] <= 10)
        before, after = seconds(0, case["event"] - 0.001), seconds(case["event"], case["event"] + 0.5)
        self.assertGreater(level(made["far"][before]), -35)
        self.assertLess(np.max(np.abs(made["echo"][before])), 1e-9)
        self.assertGreater(np.max(np.abs(made["mic"][before])), 0)
        self.assertGreater(level(made["echo"][after]), -45)

    def test_a_muted_microphone_is_exact_zeros(self):
        case, made = self.made("onset", 1)
        before, after = seconds(0, case["event"]), seconds(case["event"], case["event"] + 0.5)
        self.assertEqual(np.max(np.abs(made["mic"][before])), 0)
        self.assertGreater(level(made["mic"][after]), -45)

    def test_it_rings_at_its_two_frequencies_until_the_far_end_answers(self):
        case, made = self.made("ringback", 0)
        far = made["far"][:, 0]
        spectrum = np.abs(np.fft.rfft(far[seconds(1, 2)] * np.hanning(RATE)))
        self.assertEqual(set(np.argsort(spectrum)[-2:]), {440, 480})
        for burst in range(case["bursts"]):
            begin = 0.5 + 6 * burst
            self.assertGreater(level(far[seconds(begin, begin + 2)]), -26)
            end = min(begin + 6, case["begin"])
            self.assertEqual(np.max(np.abs(far[seconds(begin + 2.01, end - 0.01)])), 0)
        self.assertGreater(level(far[seconds(case["begin"], case["begin"] + 0.5)]), -36)

    def test_the_volume_is_turned_while_both_talk(self):
        for index, decibels in enumerate((-12, -6, 6)):
            case = situations.draw("turned", index, SEED) | {"distortion": 0.0}
            turned, straight = (situations.echo_of(one, made_far(one)) for one in (case, case | {"turned_db": 0}))
            near = situations.build(case)["near"]
            before, after = seconds(2, case["event"] - 0.05), seconds(case["event"] + 1, 20)
            self.assertAlmostEqual(level(turned[before]) - level(straight[before]), 0, places=3)
            self.assertAlmostEqual(level(turned[after]) - level(straight[after]), decibels, places=1)
            self.assertGreater(level(near[seconds(case["event"], case["event"] + 2)]), -40)
            self.assertLess(level(near[seconds(case["event"] + 5.5, 20)]), -80)

    def test_the_echo_s_peaks_are_beyond_full_scale_and_cut(self):
        for index, decibels in enumerate((6, 12)):
            case, made = self.made("clipped", index)
            far_alone = seconds(0, case["event"])
            self.assertEqual(np.max(np.abs(made["mic"])), 1)
            self.assertGreater(np.count_nonzero(np.abs(made["mic"][far_alone]) == 1), 10)
            unclipped = made["echo"] * sound.decibels(decibels) / np.max(np.abs(made["echo"]))
            quiet = np.abs(made["mic"][far_alone]) < 0.5
            error = made["mic"][far_alone][quiet] - unclipped[far_alone][quiet]
            self.assertLess(level(error), level(unclipped[far_alone]) - 20)

    def test_a_soft_far_end_has_an_echo_of_the_usual_level(self):
        case, made = self.made("softfar", 0)
        usual = sound.LEVEL * sound.decibels(-case["ser_db"])
        self.assertAlmostEqual(20 * math.log10(np.sqrt(sound.power(made["echo"])) / usual), 0, delta=1.5)
        self.assertLess(level(made["far"]), -52)
        np.testing.assert_array_equal(made["far"] * 32_768, np.round(made["far"] * 32_768))

    def test_the_path_changes_in_a_pause_in_which_every_second_near_end_talks(self):
        for index in range(2):
            case, made = self.made("pause", index)
            far = made["far"][:, 0]
            self.assertEqual(np.max(np.abs(far[seconds(10.01, 30)])), 0)
            self.assertGreater(level(far[seconds(30, 31)]), -36)
            self.assertEqual(bool(made["near"].any()), index == 1)
            moved, still = path(far, made["echo"], 30, 38), path(far, made["echo"], 0, 10)
            alike = np.dot(moved, still) / np.linalg.norm(moved) / np.linalg.norm(still)
            self.assertLess(alike, 0.9)

    def test_answers_are_short_and_their_echo_drifts(self):
        case, made = self.made("answers", 0)
        far = made["far"][:, 0]
        self.assertTrue(20 <= abs(case["ppm"]) <= 100)
        for begin in range(1, 76, 12):
            self.assertGreater(level(far[seconds(begin, begin + 2)]), -36)
            self.assertEqual(np.max(np.abs(far[seconds(begin + 2.01, begin + 12)]), initial=0), 0)
        moved = [int(np.argmax(np.abs(path(far, made["echo"], begin, begin + 3)))) for begin in (1, 73)]
        self.assertAlmostEqual(moved[0] - moved[1], 72 * RATE * case["ppm"] * 1e-6, delta=4)

    def test_a_fan_begins_under_a_far_end_that_goes_on(self):
        for index in range(2):
            case, made = self.made("fanned", index)
            self.assertEqual(case["played"], ("music", "speech")[index])
            around = made["mic"] - made["echo"] * np.dot(made["mic"], made["echo"]) / np.dot(made["echo"], made["echo"])
            before, after = level(around[seconds(0, 8)]), level(around[seconds(8, 24)])
            self.assertGreater(after - before, 15)
            self.assertGreater(level(made["far"][seconds(8, 24)]), -36)

    def test_11_ms_are_lost(self):
        for index, lost in enumerate((1, -1)):
            case, made = self.made("skipped", index)
            far = made["far"][:, 0]
            delays = [int(np.argmax(np.abs(path(far, made["echo"], *stretch)))) for stretch in ((1, 7.9), (8.2, 13.9))]
            self.assertEqual(delays[0] - delays[1], lost * 11 * RATE // 1_000)
            self.assertTrue(8 <= case["event"] < 8.2 and (index == 1) == (case["event"] > 8))
            whole = situations.build(case | {"lost": "nothing"})
            shorter, other = ("echo", "far") if index == 0 else ("far", "echo")
            np.testing.assert_allclose(made[other], whole[other], atol=1e-3)
            np.testing.assert_allclose(made[shorter][9 * RATE : -SKIP], whole[shorter][9 * RATE + SKIP :], atol=1e-3)

    def test_a_narrow_far_end_ends_at_4_kHz_and_its_loudspeaker_s_in_every_other_case(self):
        for index in range(4):
            _, made = self.made("narrow", index)
            for name, is_narrow in (("far", True), ("echo", index % 2 == 0)):
                samples = made[name].reshape(len(made["mic"]), -1)[:, 0]
                spectrum = np.abs(np.fft.rfft(samples)) ** 2
                hertz = len(spectrum) / (RATE / 2)
                above = np.sum(spectrum[int(5_000 * hertz) :]) / np.sum(spectrum)
                self.assertEqual(above < 1e-6, is_narrow, f"{name}{index}: {above}")

    def test_a_gate_makes_zeros_of_what_is_soft_and_leaves_what_is_loud(self):
        _, made = self.made("gated", 0)
        shut = np.mean(made["mic"] == 0)
        self.assertTrue(0.05 < shut < 0.8, shut)
        noise = sound.noise(np.random.default_rng(1), RATE, 40)
        noise[RATE // 2 : RATE // 2 + 4_800] += 0.1
        heard = situations.gated(noise)
        self.assertEqual(np.max(np.abs(heard[: RATE // 2])), 0)
        open_ = slice(RATE // 2 + 480, RATE // 2 + 4_800)
        np.testing.assert_array_equal(heard[open_], noise[open_])
        self.assertEqual(np.max(np.abs(heard[-RATE // 4 :])), 0)

    def test_the_far_end_is_told_after_its_echo(self):
        for index in range(3):
            _, made = self.made("ahead", index)
            size = 2 * len(made["mic"])
            cross = np.fft.rfft(made["echo"], size) * np.conj(np.fft.rfft(made["far"][:, 0], size))
            lags = np.fft.irfft(cross / np.sqrt(np.abs(cross) + 1e-9))
            self.assertAlmostEqual(
                int(np.argmax(np.abs(lags))) - size, -9 * RATE / 10_000, delta=2, msg=f"ahead{index}"
            )

    def test_a_filter_explains_little_of_a_rough_loudspeaker(self):
        _, made = self.made("rough", 0)
        far, echo = (soxr.resample(made[name].reshape(len(made["mic"])), RATE, 16_000) for name in ("far", "echo"))
        alone = slice(8 * 16_000)
        self.assertTrue(5 < recording_facts.explained(far[alone], echo[alone], 0) < 10)

    def test_each_scored_half_second_of_echo_is_audible(self):
        for kind in ("onset", "ringback", "pause"):
            for index in range(4):
                case, made = self.made(kind, index)
                noise = sound.LEVEL * sound.decibels(-case["snr_db"])
                for step in range(4):
                    begin = case["event"] + step / 2
                    heard = level(made["echo"][seconds(begin, begin + 0.5)])
                    self.assertGreater(heard, 20 * math.log10(noise) + 10, f"{kind}{index}, {begin} s")


def made_far(case):
    random = np.random.default_rng(case["seed"])
    return situations.far_end(case, sound.VOICES[0], random, case["seconds"] * RATE)


def path(far, echo, begin, end):
    """Returns the first 0.2 s of the path from far end to echo."""
    stretch = seconds(begin, end)
    size = 2 * len(far[stretch])
    played, heard = np.fft.rfft(far[stretch], size), np.fft.rfft(echo[stretch], size)
    return np.fft.irfft(heard * np.conj(played) / (np.abs(played) ** 2 + 1e-2), size)[: RATE // 5]


class Stored(unittest.TestCase):
    def test_sounds_are_kept_until_their_description_or_their_sources_change(self):
        built = []

        def build(case):
            built.append(case["seed"])
            return {"mic": np.zeros(10)}

        with tempfile.TemporaryDirectory() as folder:
            for seed in (1, 1, 2, 2):
                cases.make((folder, {"name": "st0", "seed": seed}, build))
            self.assertEqual(built, [1, 2])
            (Path(folder) / "st0" / "sources.txt").write_text("those of yesterday")
            for _ in range(2):
                cases.make((folder, {"name": "st0", "seed": 2}, build))
            self.assertEqual(built, [1, 2, 2])

    def test_a_change_of_an_imported_module_is_a_change_of_the_sources(self):
        digest, read = cases.sources_digest.__wrapped__, Path.read_bytes

        def changed(path):
            return read(path) + b"#" * (path.name == "sound.py")

        before = digest("situations")
        with mock.patch.object(Path, "read_bytes", changed):
            self.assertNotEqual(digest("situations"), before)
        self.assertEqual(digest("situations"), before)


class Passages(unittest.TestCase):
    def scored(self, kind, change=lambda case, mic: mic):
        """Returns the case, and the measures of its microphone as changed."""
        with tempfile.TemporaryDirectory() as folder:
            case = situations.draw(kind, 0, SEED)
            cases.make((folder, case, situations.build))
            mic, _ = soundfile.read(Path(folder) / case["name"] / "mic.wav")
            processed = Path(folder) / "processed.wav"
            soundfile.write(processed, change(case, mic), RATE, subtype="FLOAT")
            return case, ScoredSituation(folder, case, FixedOpinion()).score(processed)

    def test_the_untouched_microphone_loses_no_echo(self):
        for kind in SITUATIONS:
            _, measured = self.scored(kind)
            self.assertEqual(list(measured), [passage.name for passage in PASSAGES[kind]])
            for name, value in measured.items():
                if name.startswith("erle"):
                    self.assertAlmostEqual(value, 0, places=6)

    def test_what_is_taken_away_in_a_passage_is_seen_in_that_passage_alone(self):
        def quieter(case, mic):
            changed = mic.copy()
            changed[seconds(case["event"] + 0.5, case["event"] + 1)] *= 0.1
            return changed

        _, measured = self.scored("onset", quieter)
        self.assertAlmostEqual(measured["erle 0..0.5"], 0, places=3)
        self.assertAlmostEqual(measured["erle 0.5..1"], 20, places=1)
        self.assertAlmostEqual(measured["erle 1..2"], 0, places=3)

    def test_a_late_near_end_is_compared_without_its_delay(self):
        _, on_time = self.scored("turned")
        _, late = self.scored("turned", lambda _case, mic: np.concatenate([np.zeros(720), mic[:-720]]))
        self.assertAlmostEqual(on_time["stoi 0..2"], late["stoi 0..2"], places=2)

    def test_aecmos_is_asked_about_each_stretch_as_what_it_is(self):
        case, measured = self.scored("clipped")
        mic = situations.build(case)["mic"]
        alone = level(mic[seconds(case["event"] - 6, case["event"])])
        both = level(mic[seconds(case["event"], case["event"] + 12)])
        self.assertAlmostEqual(measured["echo -6..0"], 2 * alone, places=2)
        self.assertAlmostEqual(measured["echo 0..12"], both, places=2)


class Report(unittest.TestCase):
    def table(self, better):
        """Returns a table in which nearend is `better` than every bar by that much, and another program worse."""
        rows = {"webrtc": [], "nearend": []}
        for kind in SITUATIONS:
            for program, more in (("webrtc", -0.5), ("nearend", better)):
                figures = {name: bar + more for name, bar in bars.SITUATION_BARS[kind].items()}
                rows[program].append({"name": f"{kind}0", "kind": kind} | figures)
        return rows

    def test_every_passage_has_a_bar(self):
        for kind in SITUATIONS:
            self.assertEqual(list(bars.SITUATION_BARS[kind]), [passage.name for passage in PASSAGES[kind]])

    def test_a_missed_bar_is_told(self):
        for better, word in ((0.01, "holds"), (-0.01, "**missed**")):
            lines = list(
                situation_report.table_lines(self.table(better), bars.SITUATION_BARS, situation_report.PASSAGE_NAMES)
            )[2:]
            self.assertEqual(len(lines), sum(map(len, PASSAGES.values())))
            self.assertTrue(all(line.endswith(f"| {word} |") for line in lines))

    def test_every_passage_and_case_is_printed(self):
        printed = io.StringIO()
        with redirect_stdout(printed):
            situation_report.print_table(self.table(1), rows_too=True)
        for kind in SITUATIONS:
            self.assertEqual(printed.getvalue().count(f"{kind}0"), len(PASSAGES[kind]))

    def test_the_page_tells_of_every_kind(self):
        for kind in SITUATIONS:
            self.assertIn(f"**`{kind}`**", situation_report.KINDS_TEXT)


class Kinds(unittest.TestCase):
    def test_a_seed_draws_the_cases_that_it_always_drew(self):
        for (kind, index, seed), expected in DRAWN.items():
            case = cases.draw(kind, index, seed)
            drawn = [case[name] for name in (*PROPERTIES, "ppm", "shape", "noise_db") if name in case]
            self.assertEqual(tuple(drawn), expected)

    def test_a_seed_sounds_as_it_always_did(self):
        for (kind, index, seed), expected in LEVELS.items():
            made = cases.build(cases.draw(kind, index, seed))
            for name, decibels in zip(("far", "mic", "near", "echo"), expected, strict=True):
                self.assertAlmostEqual(level(made[name]), decibels, places=2, msg=f"{kind}{index}: {name}")


if __name__ == "__main__":
    unittest.main()
