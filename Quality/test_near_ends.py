#!/usr/bin/env python3
"""Tests of the near ends: what their sounds are, what is measured of them, and what the page tells."""

import io
import math
import tempfile
import unittest
from contextlib import redirect_stdout
from pathlib import Path

import numpy as np
import soundfile
import soxr

import cases
import near_end_report
import near_ends
import recognizer
import sound
import vocoder
import voices
from kinds import NEAR_ENDS, NEAR_SOUNDS, SCENES
from measures import SPEECH_RATE, seconds
from near_end_score import ScoredNearEnd, kept
from sound import RATE

SEED = 11


def level(samples):
    """dBFS."""
    return 10 * math.log10(np.mean(samples**2) + 1e-12)


def pitches(samples):
    """Returns the pitch in Hz of each 5 ms that has one, and in what part of the time there is one."""
    found, _ = vocoder.pyworld.harvest(soxr.resample(samples, RATE, SPEECH_RATE), SPEECH_RATE)
    return found[found > 0], np.mean(found > 0)


def centre(samples):
    """Returns the frequency, in Hz, around which the power lies."""
    power = np.abs(np.fft.rfft(samples)) ** 2
    return np.sum(power * np.fft.rfftfreq(len(samples), 1 / RATE)) / np.sum(power)


def made(kind, index=0):
    case = near_ends.draw(kind, index, SEED)
    return case, near_ends.build(case)


class Voices(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.woman = sound.speech("en_US_f_Allison", np.random.default_rng(1), 8 * RATE)

    def test_a_child_s_pitch_and_formants_are_higher(self):
        child = vocoder.child(self.woman, np.random.default_rng(1))
        (before, _), (after, _) = pitches(self.woman), pitches(child)
        self.assertTrue(1.2 < np.median(after) / np.median(before) < 1.5)
        self.assertGreater(centre(child), 1.1 * centre(self.woman))

    def test_a_whisper_has_no_pitch_and_still_the_words_rhythm(self):
        whisper = vocoder.whisper(self.woman, None)
        self.assertGreater(pitches(self.woman)[1], 0.4)
        self.assertLess(pitches(whisper)[1], 0.15)  # by mistake: noise has none
        spoken, whispered = (
            np.convolve(np.abs(samples[: 8 * RATE - RATE // 10]), np.ones(RATE // 20), "same")[:: RATE // 100]
            for samples in (self.woman, whisper)
        )
        self.assertGreater(np.corrcoef(spoken, whispered)[0, 1], 0.5)

    def test_song_is_slower_and_stays_on_the_notes(self):
        song = vocoder.song(self.woman, np.random.default_rng(1))
        self.assertAlmostEqual(len(song) / len(self.woman), vocoder.SUNG_STRETCH, delta=0.02)
        sung, _ = pitches(song)
        tonic = np.median(pitches(self.woman)[0])
        away = 12 * np.log2(sung / tonic)
        nearest = np.min(np.abs(away[:, None] - np.array(vocoder.SCALE)), axis=1)
        self.assertLess(np.mean(nearest > vocoder.VIBRATO + 0.3), 0.2)

    def test_violin_and_cello_take_turns(self):
        violin, cello = (made("strings-alone", index)[1]["near"] for index in range(2))
        self.assertGreater(centre(violin), 3 * centre(cello))

    def test_a_dog_barks_and_pauses(self):
        _, barking = made("dog-alone")
        loud = [
            level(barking["near"][begin : begin + RATE // 20]) for begin in range(0, len(barking["near"]), RATE // 20)
        ]
        self.assertTrue(0.1 < np.mean(np.array(loud) < max(loud) - 30) < 0.7)

    def test_everything_else_is_as_loud_as_speech_and_a_whisper_softer(self):
        for name in NEAR_SOUNDS:
            case = near_ends.draw(f"{name}-talk", 0, SEED)
            near = voices.sounding(case, np.random.default_rng(1), 8 * RATE)
            softer = voices.SOFTER.get(name, 0)
            self.assertAlmostEqual(
                20 * math.log10(np.sqrt(sound.power(near)) / sound.LEVEL), -softer, delta=1, msg=name
            )

    def test_the_words_are_those_that_are_said(self):
        case, talk = made("words-early")
        texts = voices.english_texts()
        said = [word for name in case["said"] for word in voices.words_of(texts[name])]
        heard = recognizer.listen(said, soxr.resample(talk["near"], RATE, SPEECH_RATE))
        self.assertGreater(heard.words, 15)
        self.assertLess(heard.share, 70)
        other = near_ends.draw("words-early", 1, SEED)["said"]
        wrong = [word for name in other for word in voices.words_of(texts[name])]
        amiss = recognizer.listen(wrong, soxr.resample(talk["near"], RATE, SPEECH_RATE))
        self.assertGreater(amiss.share, 80)

    def test_no_sentence_is_cut_off(self):
        for kind in ("words-talk", "words-early", "words-clipped"):
            for index in range(4):
                _, talk = made(kind, index)
                self.assertLess(level(talk["near"][seconds(near_ends.SECONDS - 0.1)]), -55, f"{kind}{index}")

    def test_digits_are_words_and_longer_numbers_are_left_out(self):
        self.assertEqual(voices.words_of("Press 1, or 2."), ["press", "one", "or", "two"])
        self.assertFalse(any("10" in text for text in voices.english_texts().values()))


class Scenes(unittest.TestCase):
    def test_a_seed_makes_the_same_sounds_again_and_another_seed_others(self):
        for name in NEAR_SOUNDS[:6]:
            case, first = made(f"{name}-talk")
            again = near_ends.build(case)
            other = near_ends.build(near_ends.draw(f"{name}-talk", 0, SEED + 1))
            for part in ("far", "mic", "near", "echo"):
                np.testing.assert_array_equal(first[part], again[part])
            self.assertFalse(np.array_equal(first["near"], other["near"]))

    def test_the_place_of_each_kind_is_its_own(self):
        drawn = [near_ends.draw(kind, index, SEED)["seed"] for kind in NEAR_ENDS for index in range(20)]
        self.assertEqual(len(set(drawn)), len(drawn))

    def test_nothing_is_played_beside_a_near_end_alone(self):
        _, alone = made("dog-alone")
        self.assertFalse(alone["far"].any() or alone["echo"].any())
        self.assertLess(level(alone["mic"] - alone["near"]), level(alone["near"]) - 25)

    def test_the_far_end_is_heard_alone_before_both_are(self):
        for kind in ("dog-talk", "dog-music", "words-speaker"):
            case, both = made(kind)
            before, after = seconds(1, case["event"]), seconds(case["event"])
            self.assertLess(level(both["near"][before]), -80)
            self.assertGreater(level(both["echo"][before]), -50)
            self.assertGreater(level(both["echo"][after]), -50)
            difference = level(both["near"][after]) - level(both["echo"][after])
            self.assertAlmostEqual(difference, case["ser_db"], delta=5)

    def test_early_both_are_heard_at_once(self):
        _, both = made("words-early")
        for part in ("near", "echo"):
            self.assertGreater(level(both[part][seconds(0.3, 2)]), -45)

    def test_what_is_said_is_not_said_at_the_far_end_too(self):
        for kind in ("czech-talk", "child-talk", "words-talk"):
            for index in range(10):
                case = near_ends.draw(kind, index, SEED)
                self.assertNotEqual(case["voice"], case["far_voice"])

    def test_a_clipped_microphone_is_cut(self):
        for index, decibels in enumerate((6, 12)):
            case, talk = made("words-clipped", index)
            self.assertEqual(case["over_db"], decibels)
            self.assertGreater(np.count_nonzero(np.abs(talk["mic"][seconds(0, 5)]) == 1), 10)
            self.assertLessEqual(np.max(np.abs(talk["near"])), 0.9)


class Kept(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        random = np.random.default_rng(2)
        cls.near = sound.speech("it_IT_m_Carlo", random, 8 * RATE)
        cls.other = sound.speech("ru_RU_f_IvrvoiceRU", random, 8 * RATE)

    def test_all_of_it_is_kept(self):
        self.assertEqual(tuple(round(value, 3) for value in kept(self.near, self.near)), (0, 0))

    def test_softer_is_less(self):
        power, gone = kept(self.near, 0.5 * self.near)
        self.assertAlmostEqual(power, -6.02, places=1)
        self.assertEqual(gone, 0)
        self.assertEqual(kept(self.near, 0.25 * self.near)[1], 100)

    def test_silence_keeps_nothing(self):
        power, gone = kept(self.near, np.zeros(len(self.near)))
        self.assertLess(power, -50)
        self.assertEqual(gone, 100)

    def test_half_of_the_time_is_half_of_the_power(self):
        muted = self.near * ((np.arange(len(self.near)) // RATE) % 2)
        power, gone = kept(self.near, muted)
        self.assertAlmostEqual(power, -3, delta=1.5)
        self.assertAlmostEqual(gone, 45, delta=15)

    def test_other_sound_is_not_taken_for_it(self):
        power, _ = kept(self.near, self.other)
        self.assertLess(power, -8)
        power, gone = kept(self.near, self.near + self.other)
        self.assertAlmostEqual(power, 0, delta=1)
        self.assertLess(gone, 2)

    def test_half_of_the_spectrum_is_less(self):
        spectrum = np.fft.rfft(self.near)
        hertz = np.fft.rfftfreq(len(self.near), 1 / RATE)
        of_low = np.sum(np.abs(spectrum[hertz < 500]) ** 2) / np.sum(np.abs(spectrum) ** 2)
        power, _ = kept(self.near, np.fft.irfft(spectrum * (hertz < 500), len(self.near)))
        self.assertAlmostEqual(power, 10 * math.log10(of_low), delta=0.5)


class Silent:
    """Has no opinion, in place of DNSMOS."""

    def rate(self, _samples):
        return 1.0


class Scores(unittest.TestCase):
    def scored(self, kind, change=lambda case, sounds: sounds["mic"]):
        with tempfile.TemporaryDirectory() as folder:
            case = near_ends.draw(kind, 0, SEED)
            cases.make((folder, case, near_ends.build))
            sounds = {
                part: soundfile.read(Path(folder) / case["name"] / f"{part}.wav")[0] for part in ("mic", "near", "echo")
            }
            processed = Path(folder) / "processed.wav"
            soundfile.write(processed, change(case, sounds), RATE, subtype="FLOAT")
            return ScoredNearEnd(folder, case, Silent()).score(processed)

    def test_each_kind_has_its_measures(self):
        expected = {
            "dog-alone": {"kept", "gone"},
            "dog-music": {"kept", "gone", "erle"},
            "czech-talk": {"kept", "gone", "erle", "stoi", "ovrl"},
            "words-talk": {"wer", "words", "stoi", "erle"},
            "words-early": {"wer", "words", "stoi"},
        }
        for kind, names in expected.items():
            self.assertEqual(set(self.scored(kind)), names)

    def test_the_untouched_microphone_keeps_everything_and_all_of_the_echo(self):
        measured = self.scored("strings-talk")
        self.assertAlmostEqual(measured["kept"], 0, delta=1)
        self.assertEqual(measured["gone"], 0)
        self.assertAlmostEqual(measured["erle"], 0, places=6)

    def test_the_near_end_alone_is_perfect_also_late(self):
        for late in (0, 700):
            measured = self.scored(
                "czech-talk", lambda _, sounds, late=late: np.roll(np.pad(sounds["near"], (0, RATE)), late)
            )
            self.assertAlmostEqual(measured["kept"], 0, delta=0.3)
            self.assertAlmostEqual(measured["stoi"], 1, delta=0.02)
            self.assertGreater(measured["erle"], 40)

    def test_echo_taken_for_the_near_end_is_not_kept(self):
        self.assertLess(self.scored("czech-talk", lambda _, sounds: sounds["echo"])["kept"], -6)

    def test_more_words_are_wrong_over_the_far_end(self):
        with_echo = self.scored("words-talk")
        without = self.scored("words-talk", lambda _, sounds: sounds["near"])
        self.assertEqual(with_echo["words"], without["words"])
        self.assertGreater(with_echo["wer"], without["wer"] + 20)


class Words(unittest.TestCase):
    def test_errors_are_what_is_replaced_left_out_or_added(self):
        said = "press star to return".split()
        for heard, wrong in (
            ("press star to return", 0),
            ("press start to return", 1),
            ("press to return", 1),
            ("press star to re turn", 2),
            ("", 4),
        ):
            self.assertEqual(recognizer.errors(said, heard.split()), wrong)
        self.assertEqual(recognizer.Heard(4, 1).share, 25)

    def test_nothing_is_heard_in_silence(self):
        self.assertEqual(recognizer.recognized(np.zeros(SPEECH_RATE)), [])


class Report(unittest.TestCase):
    def table(self, **of_nearend):
        """Returns a table of one case of each kind, in which all programs are alike but for those figures."""
        equal = {"kept": -2, "gone": 3, "stoi": 0.9, "ovrl": 3, "erle": 40}
        words = {"wer": 40, "words": 10, "stoi": 0.9}
        table = {}
        for program in ("untouched", "ideal", "aec3", "nearend"):
            table[program] = [
                {"name": f"{kind}0", "kind": kind} | (words if kind.startswith("words") else equal)
                for kind in NEAR_ENDS
            ]
        for row in table["nearend"]:
            row |= {name: value for name, value in of_nearend.items() if name in row}
        return table

    def test_what_is_not_worse_is_not_told(self):
        self.assertEqual(near_end_report.findings(self.table()), [])
        self.assertEqual(near_end_report.findings(self.table(kept=0, gone=0, stoi=1, wer=20, erle=60)), [])

    def test_what_is_worse_is_told_of_each_kind_that_has_it(self):
        for measure, value in (("kept", -9), ("gone", 30), ("stoi", 0.5), ("ovrl", 2), ("erle", 20), ("wer", 90)):
            found = near_end_report.findings(self.table(**{measure: value}))
            kinds = [kind for kind in NEAR_ENDS if near_end_report.of_kind(self.table(), kind, measure)]
            self.assertEqual([(name, kind) for name, kind, _, _ in found], [(measure, kind) for kind in kinds])
            told = " ".join(" ".join(near_end_report.finding_lines(self.table(**{measure: value}))).split())
            self.assertTrue(all(f"`{kind}` {near_end_report.number(value, measure)} (" in told for kind in kinds))
            self.assertTrue(all(set(better) == {"untouched", "aec3"} for _, _, _, better in found))

    def test_echo_is_not_taken_for_more_of_the_near_end(self):
        table = self.table(kept=-1)
        for row in table["untouched"]:
            row |= {"kept": 5} if "kept" in row else {}
        self.assertEqual(near_end_report.findings(table), [])

    def test_what_voice_isolation_loses_is_told_of_voices_alone(self):
        table = self.table()
        table["isolation"] = [row | ({"kept": -30} if "kept" in row else {}) for row in table["nearend"]]
        told = near_end_report.findings(near_end_report.voices_alone(table), "isolation", ("nearend",))
        sounds = {kind.split("-")[0] for _, kind, _, _ in told}
        self.assertEqual(sounds, {"child", "whisper", "song", "czech"})

    def test_it_is_told_where_nearend_is_as_good_as_others(self):
        self.assertIn("- kept: in 18 of 18", list(near_end_report.standing_lines(self.table())))
        self.assertIn("- gone: in 0 of 18", list(near_end_report.standing_lines(self.table(gone=4))))
        self.assertIn("- word errors: in 0 of 4", list(near_end_report.standing_lines(self.table(wer=41))))

    def test_word_errors_are_over_all_words(self):
        rows = [{"wer": 100, "words": 10}, {"wer": 0, "words": 30}]
        self.assertEqual(near_end_report.mean(rows, "wer"), 25)
        self.assertEqual(near_end_report.worst(rows, "wer"), 100)

    def test_every_measure_of_every_kind_is_printed(self):
        printed = io.StringIO()
        with redirect_stdout(printed):
            near_end_report.print_table(self.table(), rows_too=True)
        self.assertEqual(printed.getvalue().count("dog-alone0"), 5)
        self.assertEqual(printed.getvalue().count("words-early0"), 2)

    def test_the_page_tells_of_every_sound_and_scene(self):
        for name in NEAR_SOUNDS:
            self.assertIn(f"**`{name}`**", near_end_report.SOUNDS_TEXT)
        for scene in SCENES:
            self.assertIn(f"**`{scene}`**", near_end_report.SCENES_TEXT)
        self.assertEqual(set(near_end_report.MEASURE_TEXTS), set(near_end_report.NAMES))


if __name__ == "__main__":
    unittest.main()
