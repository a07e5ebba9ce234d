"""Tests that the cases of arrays.py are what they are said to be, and that array_score.py measures what it says."""

import unittest

import numpy as np
from scipy.signal import csd, welch

import array_score
import arrays
import sound
from kinds import ARRAYS, SHAPES

SEED = 5


class Cases(unittest.TestCase):
    def test_microphones_stand_as_described(self):
        for shape, count, spacing in (("pair", 2, 0.06), ("line", 4, 0.04), ("ring", 6, 0.045)):
            where = arrays.positions(shape)
            self.assertEqual(where.shape, (count, 3))
            self.assertAlmostEqual(float(np.linalg.norm(where[1] - where[0])), spacing)
            self.assertTrue(np.allclose(where.mean(axis=0), 0))

    def test_a_seed_makes_the_same_cases_and_each_kind_others(self):
        drawn = [arrays.draw(kind, index, SEED) for kind in ARRAYS for index in range(3)]
        self.assertEqual(drawn, [arrays.draw(kind, index, SEED) for kind in ARRAYS for index in range(3)])
        self.assertEqual(len({case["seed"] for case in drawn}), len(drawn))
        case = drawn[0]
        first, second = arrays.build(case), arrays.build(case)
        self.assertTrue(all(np.array_equal(first[name], second[name]) for name in first))

    def test_noise_from_everywhere_has_its_coherence(self):
        for shape in SHAPES:
            noise = arrays.diffuse_noise(np.random.default_rng(SEED), shape)
            distance = np.linalg.norm(np.diff(arrays.positions(shape)[:2], axis=0))
            frequencies, cross = csd(noise[0], noise[1], sound.RATE, nperseg=1_024)
            (_, one), (_, other) = (welch(samples, sound.RATE, nperseg=1_024) for samples in noise[:2])
            found = np.real(cross) / np.sqrt(one * other)
            expected = np.sinc(2 * frequencies * distance / arrays.SPEED)
            band = (frequencies > 200) & (frequencies < 8_000)
            self.assertLess(np.max(np.abs(found - expected)[band]), 0.15, shape)

    def test_near_end_is_heard_by_all_and_noise_is_as_loud_as_said(self):
        case = arrays.draw("line-diffuse", 0, SEED) | {"gains_db": [0] * 4}
        sounds = arrays.build(case)
        self.assertEqual(sounds["mic"].shape, (arrays.FRAMES, 4))
        noise = sounds["mic"][:, 0] - sounds["near"]
        ratio = 10 * np.log10(sound.power(sounds["near"]) / np.mean(noise**2))
        self.assertAlmostEqual(ratio, case["noise_db"], delta=1)

    def test_the_far_end_is_heard_where_there_is_one(self):
        for scene in arrays.ARRAY_SCENES:
            sounds = arrays.build(arrays.draw(f"pair-{scene}", 1, SEED))
            self.assertEqual(bool(np.any(sounds["far"])), scene in ("echo", "talk"), scene)
            self.assertEqual(bool(np.any(sounds["near"])), scene != "echo", scene)

    def test_one_microphone_dies_and_it_is_not_the_best(self):
        for index in range(4):
            case = arrays.draw("ring-dead", index, SEED)
            mic = arrays.build(case)["mic"]
            later = np.any(mic[arrays.HALF * sound.RATE :], axis=0)
            self.assertEqual(list(np.flatnonzero(~later)), [case["dies"]])
            self.assertNotEqual(arrays.best(case) - 1, case["dies"])

    def test_a_talker_who_moves_is_heard_from_there(self):
        case = arrays.draw("pair-moved", 0, SEED) | {"angle": 60, "moved_by": 80, "noise_db": 60, "rt60": 0.18}
        mic = arrays.build(case)["mic"]
        for begin, end, angle in ((0, 6, 60), (7, 12, 140)):
            one, other = (np.fft.rfft(samples) for samples in mic[begin * sound.RATE : end * sound.RATE].T)
            cross = one * np.conj(other)
            cross[: 200 * (end - begin)] = cross[8_000 * (end - begin) :] = 0
            lags = np.fft.irfft(cross / np.maximum(np.abs(cross), 1e-12))
            late = int(np.argmax(np.roll(lags, 20)[:41])) - 20
            self.assertAlmostEqual(late, 0.06 * np.cos(np.radians(angle)) / arrays.SPEED * sound.RATE, delta=1.5)


class Measures(unittest.TestCase):
    def setUp(self):
        self.near = arrays.build(arrays.draw("pair-talk", 0, SEED))["near"][5 * sound.RATE :]

    def test_snr_is_that_of_the_noise_added_whatever_the_gain(self):
        noise = sound.noise(np.random.default_rng(SEED), len(self.near), 0)
        noise *= np.sqrt(np.mean(self.near**2) / np.mean(noise**2))
        for decibels in (0, 10, 20):
            noisy = 0.3 * (self.near + noise * sound.decibels(-decibels))
            self.assertAlmostEqual(array_score.snr(self.near, noisy), decibels, delta=1.5)

    def test_a_near_end_without_noise_is_far_out_of_it(self):
        self.assertGreater(array_score.snr(self.near, 0.5 * self.near), 40)

    def test_what_is_not_the_near_end_counts_as_noise(self):
        other = sound.speech(sound.VOICES[0], np.random.default_rng(SEED), len(self.near))
        self.assertLess(array_score.snr(self.near, other), -3)


if __name__ == "__main__":
    unittest.main()
