"""What is played and said: voices, music, noises, at a power of 1, drawn from a corpus and a random generator."""

import numpy as np
import soxr
from scipy.signal import butter, lfilter, sosfilt

from corpus import RATE, Corpus, level


class Sounds:
    def __init__(self, corpus: Corpus, draw: np.random.Generator, frames: int) -> None:
        self.corpus, self.draw, self.frames = corpus, draw, frames

    def voice(self) -> np.ndarray:
        """Speech of one talker, pitch and tempo changed by up to a fifth, so that one talker is several.

        Speed perturbation: Ko et al., Interspeech 2015.
        """
        files = self.corpus.voices[self.corpus.talkers[self.draw.integers(len(self.corpus.talkers))]]
        speed = self.draw.uniform(0.85, 1.2)
        wanted = int(self.frames * speed) + 200
        pieces: list[np.ndarray] = []
        while sum(map(len, pieces)) < wanted:
            file = files[self.draw.integers(len(files))]
            start = self.draw.integers(max(1, len(file) - wanted // 2))
            pieces.append(file[start : start + wanted])
        voice = soxr.resample(np.concatenate(pieces)[:wanted], RATE * speed, RATE, quality="HQ")[: self.frames]
        return level(self._tilt(self._extended(np.pad(voice, (0, self.frames - len(voice))))))

    def noise(self) -> np.ndarray:
        """A noise: of the corpus, coloured, of several voices; some with clicks of keys."""
        kind = self.draw.random()
        if kind < 0.5:
            noise = self._piece(self.corpus.noises)
        elif kind < 0.9:
            noise = self._coloured()
        else:
            noise = 0.5 * self._coloured() + level(sum(self.voice() for _ in range(4)))
        if self.draw.random() < 0.15:
            noise = noise + self._clicks()
        return noise / np.sqrt(np.mean(noise**2) + 1e-12)

    def foreground(self) -> np.ndarray:
        """A near end that is no speech: a melody, or a sound of the corpus that comes and goes."""
        if self.corpus.foregrounds and self.draw.random() < 0.4:
            return self._piece(self.corpus.foregrounds)
        return self.melody(voices=1)

    def far_end(self) -> np.ndarray:
        """Mostly a voice; some music, a noise, two voices; half of them with noise of their own."""
        kind = self.draw.random()
        if kind < 0.8:
            far = self.voice() * self.activity(full=0.3)
        elif kind < 0.88:
            far = level(self.melody(voices=int(self.draw.integers(2, 5))) + self.draw.uniform(0, 0.7) * self._beat())
        elif kind < 0.93:
            far = self._piece(self.corpus.noises)
        else:
            far = level(self.voice() * self.activity() + self.voice() * self.activity())
        if self.draw.random() < 0.5:
            far = far + self.noise() * 10 ** (self.draw.uniform(-55, -20) / 20)
        return far

    def activity(self, full: float = 0.2) -> np.ndarray:
        """A gain of turns of .7 to 4 s and pauses of .3 to 4 s, always 1 with the probability `full`."""
        gain = np.zeros(self.frames)
        if self.draw.random() < full:
            return gain + 1
        at = int(self.draw.uniform(0, 3) * RATE)
        while at < self.frames:
            length = int(self.draw.uniform(0.7, 4) * RATE)
            gain[at : at + length] = 1
            at += length + int(self.draw.uniform(0.3, 4) * RATE)
        fade = np.hanning(320)
        return np.convolve(gain, fade / fade.sum(), "same")

    def melody(self, voices: int) -> np.ndarray:
        """Notes of a few partials with vibrato, plucked or bowed: an instrument for each voice."""
        time = np.arange(self.frames) / RATE
        sum_ = np.zeros(self.frames)
        for _ in range(voices):
            root, falls = self.draw.uniform(80, 500), self.draw.uniform(0, 6) * (self.draw.random() < 0.6)
            partials = 1 / np.arange(1, 13) ** self.draw.uniform(0.7, 2)
            at = self.draw.uniform(0, 1.5)
            beat = self.draw.uniform(0.12, 0.6)
            while at < time[-1]:
                length = beat * self.draw.integers(1, 4)
                first, last = int(at * RATE), min(int((at + length) * RATE), self.frames)
                t = time[: last - first]
                if len(t) > 400 and self.draw.random() < 0.85:
                    pitch = root * 2 ** (self.draw.choice([0, 2, 4, 5, 7, 9, 12]) / 12)
                    phase = 2 * np.pi * pitch * t + self.draw.uniform(0, 0.02) * pitch / 6 * np.sin(2 * np.pi * 6 * t)
                    note = sum(p * np.sin((k + 1) * phase) for k, p in enumerate(partials) if (k + 1) * pitch < 7500)
                    ends = np.minimum(1, np.minimum(t, t[-1] - t) / 0.015)
                    sum_[first:last] += note * np.exp(-falls * t) * ends
                at += length
        return level(sum_) if sum_.any() else sum_

    def _beat(self) -> np.ndarray:
        beat = np.zeros(self.frames)
        step = int(self.draw.uniform(0.2, 0.6) * RATE)
        for at in range(0, self.frames - 3000, step):
            kick = self.draw.random() < 0.5
            t = np.arange(2400) / RATE
            hit = (
                np.sin(2 * np.pi * 60 * t) * np.exp(-20 * t) * 3
                if kick
                else self.draw.normal(size=2400) * np.exp(-60 * t)
            )
            beat[at : at + 2400] += hit
        return beat

    def _piece(self, sounds: list[np.ndarray]) -> np.ndarray:
        sound = sounds[self.draw.integers(len(sounds))]
        if len(sound) < self.frames:
            sound = np.tile(sound, -(-self.frames // len(sound)))
        start = self.draw.integers(len(sound) - self.frames + 1)
        return level(sound[start : start + self.frames])

    def _coloured(self) -> np.ndarray:
        frequency = np.fft.rfftfreq(self.frames, 1 / RATE)
        spectrum = 1 / np.maximum(frequency, self.draw.uniform(20, 300)) ** self.draw.uniform(0, 1)
        for _ in range(self.draw.integers(0, 4)):
            centre, width = self.draw.uniform(80, 7000), self.draw.uniform(5, 400)
            spectrum += spectrum.mean() * self.draw.uniform(0, 20) * np.exp(-(((frequency - centre) / width) ** 2))
        noise = np.fft.irfft(np.fft.rfft(self.draw.normal(size=self.frames)) * spectrum, self.frames)
        return noise / noise.std()

    def _clicks(self) -> np.ndarray:
        clicks = np.zeros(self.frames)
        for _ in range(self.draw.integers(3, 40)):
            at, length = self.draw.integers(self.frames - 800), self.draw.integers(40, 500)
            fall = np.exp(-np.arange(length) / self.draw.uniform(10, 150))
            clicks[at : at + length] += self.draw.normal(size=length) * fall * self.draw.uniform(2, 25)
        return clicks

    def _extended(self, voice: np.ndarray) -> np.ndarray:
        """Mostly fills the highest octave's end, which codecs and slower tempos take from a voice, from below.

        Otherwise a network learns that what is above 6.5 kHz is not a voice.
        """
        if self.draw.random() < 0.25:
            return voice
        source = sosfilt(butter(4, (3_500, 5_200), "band", fs=RATE, output="sos"), voice)
        shifted = source * np.cos(2 * np.pi * 2_750 / RATE * np.arange(len(voice)))
        top = sosfilt(butter(6, 6_200, "high", fs=RATE, output="sos"), shifted)
        return voice + 10 ** (self.draw.uniform(-8, 4) / 20) * top

    def _tilt(self, samples: np.ndarray) -> np.ndarray:
        if self.draw.random() < 0.5:
            return samples
        return lfilter([1, self.draw.uniform(-0.4, 0.4)], [1, self.draw.uniform(-0.3, 0.3)], samples)
