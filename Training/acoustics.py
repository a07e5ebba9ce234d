"""What happens to a sound between a loudspeaker's input and a microphone's output, each part with its reason."""

import numpy as np
import soxr
from scipy.signal import butter, fftconvolve, istft, lfilter, sosfilt, stft

from corpus import RATE, Corpus, power

FRAME = 320


class Acoustics:
    def __init__(self, corpus: Corpus, draw: np.random.Generator, frames: int) -> None:
        self.corpus, self.draw, self.frames = corpus, draw, frames

    def room(self, near: bool = False) -> np.ndarray:
        """An impulse response with a power of 1: half measured, half decaying noise of any length and distance."""
        if self.draw.random() < 0.5:
            response = self.corpus.responses[self.draw.integers(len(self.corpus.responses))][: int(0.7 * RATE)]
            response = response[max(0, int(np.argmax(np.abs(response))) - 16) :]
            fall = np.exp(-np.arange(len(response)) / RATE * self.draw.uniform(0, 12))
            response = response * fall
        else:
            decay = self.draw.uniform(0.1, 0.5 if near else 0.7)
            time = np.arange(int(min(0.6, 1.2 * decay) * RATE)) / RATE
            response = self.draw.normal(size=len(time)) * np.exp(-6.9 * time / decay)
            response[: int(self.draw.uniform(8, 60))] *= 0.1
            direct = self.draw.uniform(3, 20) if near else self.draw.uniform(-3, 12)
            response *= 10 ** (-direct / 20) / np.sqrt(np.sum(response**2))
            response[0] += 1
            for _ in range(self.draw.integers(1, 4)):
                response[self.draw.integers(3, 80)] += 0.5 * self.draw.normal()
        return response / np.sqrt(np.sum(response**2))

    def through(self, sound: np.ndarray, response: np.ndarray, delay: int = 0) -> np.ndarray:
        return np.concatenate([np.zeros(delay), fftconvolve(sound, response)])[: self.frames]

    def equalize(self, sound: np.ndarray, low=(60, 500), high=(3000, 7800)) -> np.ndarray:
        """A small loudspeaker or microphone: no bass, no treble, up to three resonances of ±9 dB."""
        cut = butter(2, self.draw.uniform(*low), "high", fs=RATE, output="sos")
        roof = butter(int(self.draw.integers(1, 3)), self.draw.uniform(*high), "low", fs=RATE, output="sos")
        sound = sosfilt(np.vstack([cut, roof]), sound)
        for _ in range(self.draw.integers(0, 4)):
            sound = lfilter(
                *peaking(self.draw.uniform(200, 6000), self.draw.uniform(1, 6), self.draw.uniform(-9, 9)), sound
            )
        return sound

    def slope(self, sound: np.ndarray, low: float, high: float) -> np.ndarray:
        """Tilts a spectrum by some dB per octave, between 100 Hz and 8 kHz."""
        spectrum = np.fft.rfft(sound)
        frequency = np.maximum(np.fft.rfftfreq(len(sound), 1 / RATE), 100)
        octaves = np.log2(frequency / 1_000)
        return np.fft.irfft(spectrum * 10 ** (self.draw.uniform(low, high) * octaves / 20), len(sound))

    def loudspeaker(self, sound: np.ndarray) -> np.ndarray:
        """Distorts as loudspeakers and their amplifiers do.

        Not at all in a quarter of the cases, little in half of the rest.

        On recorded devices whose far end talks alone, a linear filter cancels 10 to 18 dB up to 1.5 kHz, and 7 to 10 dB
        above, in the median. Of mixtures that all distort it cancels 4 to 5 dB, of these some 8.
        """
        scale = np.sqrt(power(sound))
        u = sound / scale
        kind = self.draw.integers(0, 9)
        if kind <= 2 and self.draw.random() < 0.7:
            y = u
        elif kind <= 2:  # an amplifier that saturates softly
            a = self.draw.uniform(0.2, 1.2)
            y = np.tanh(a * u) / a
        elif kind == 3:  # one that clips
            c = self.draw.uniform(0.8, 3)
            y = np.clip(u, -c, c)
        elif kind == 4:  # a suspension that is stiffer the farther it moves, and not alike on both sides
            y = u + self.draw.uniform(-0.3, 0.3) * u * np.abs(u) + self.draw.uniform(-0.3, 0.3) * u * u
        elif kind == 5:  # a compressor
            share = self.draw.choice([0.01, 0.002])
            envelope = np.sqrt(np.maximum(lfilter([share], [1, share - 1], u * u), 1e-4))
            y = u * np.minimum(envelope ** -self.draw.uniform(0.2, 0.7), 6)
        elif kind == 6:  # a force that falls with excursion, which is the low part of the sound
            e = lfilter([0.02], [1, -0.98], u)
            y = u / (1 + self.draw.uniform(0.3, 2) * e * e + 0.2 * np.abs(e))
        elif kind == 7:
            y = np.tanh(1.5 * u * (1 + 0.3 * np.tanh(lfilter([0.05], [1, -0.95], u))))
            y += self.draw.uniform(0, 0.15) * np.abs(y)
        else:  # a driver's own processing: bass and treble apart, each limited
            sos = butter(2, self.draw.uniform(200, 900), "low", fs=RATE, output="sos")
            bass = sosfilt(sos, u)
            b, c = self.draw.uniform(0.3, 1.5), self.draw.uniform(0.5, 2)
            y = np.tanh(b * bass) / b + np.clip(u - bass, -c, c)
        if self.draw.random() < 0.5:
            y = u + 10 ** (self.draw.uniform(-22, 0) / 20) * (y - u)
        if self.draw.random() < 0.2:  # a housing that rattles: noise that follows the level
            rattle = self.draw.normal(size=len(y)) * np.maximum(
                np.abs(lfilter([0.05], [1, -0.95], y)) - self.draw.uniform(0, 0.3), 0
            )
            y = y + 10 ** (self.draw.uniform(-32, -2) / 20) * lfilter(
                *peaking(self.draw.uniform(300, 4000), 3, 12), rattle
            )
        return y * scale

    def echo(self, played: np.ndarray) -> np.ndarray:
        """The echo of what is played: a delay, a room, and mostly something that changes, creeps or skips."""
        far_off = self.draw.random()
        delay = int((self.draw.uniform(0, 0.18) if far_off < 0.9 else self.draw.uniform(0.18, 0.5)) * RATE)
        if self.draw.random() < 0.15:
            delay = int(self.draw.uniform(0, 0.002) * RATE)
        room = self.room()
        echo = self.through(played, room, delay)
        kind = self.draw.random()
        change = int(self.draw.uniform(1.5, 6.5) * RATE)
        if kind < 0.17:  # something is moved
            share = np.clip((np.arange(self.frames) - change) / (self.draw.uniform(0.02, 1) * RATE), 0, 1)
            echo = echo * (1 - share) + self.through(played, self.room(), delay) * share
        elif kind < 0.23:  # the delay jumps
            other = max(0, delay + int(self.draw.uniform(-0.06, 0.06) * RATE))
            echo = np.r_[echo[:change], self.through(played, self.room(), other)[change:]]
        elif kind < 0.35:  # somebody moves all the time
            period = self.draw.uniform(1, 6) * RATE
            share = 0.3 + 0.3 * np.sin(2 * np.pi * np.arange(self.frames) / period + self.draw.uniform(0, 6))
            echo = echo * (1 - share) + self.through(played, self.room(), delay) * share
        elif kind < 0.4:  # the volume is turned
            echo = echo * np.where(np.arange(self.frames) < change, 1, 10 ** (self.draw.uniform(-15, 15) / 20))
        if self.draw.random() < 0.16:  # clocks that differ
            moved = soxr.resample(echo, RATE, RATE * (1 + self.draw.uniform(-150, 150) * 1e-6), quality="HQ")
            echo = np.pad(moved, (0, max(0, self.frames - len(moved))))[: self.frames]
        if self.draw.random() < 0.08:  # a loopback that skips
            for _ in range(self.draw.integers(1, 4)):
                at, skip = self.draw.integers(self.frames - 2000), self.draw.integers(40, 400)
                if self.draw.random() < 0.5:
                    echo = np.r_[echo[:at], np.zeros(skip), echo[at:]][: self.frames]
                else:
                    echo = np.r_[echo[:at], echo[at + skip :], np.zeros(skip)]
        return echo / np.sqrt(power(echo))

    def device(
        self, near: np.ndarray, noise: np.ndarray, echo: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """What devices do to their microphones. Returns the microphone, and near end and noise after the same gains."""
        if self.draw.random() < 0.1:  # a canceller of the device's own leaves remnants of the echo
            mask = self._cancelling_mask(echo, near + noise)
            echo = masked(mask, echo)
            near, noise = masked(mask, near), masked(mask, noise)
        mix = near + noise + echo
        if self.draw.random() < 0.35:  # a gate or a noise suppressor
            mask = self._gate(mix) if self.draw.random() < 0.35 else self._wiener(mix)
            mix, near, noise = masked(mask, mix), masked(mask, near), masked(mask, noise)
        if self.draw.random() < 0.3:  # gain control
            share = 10 ** self.draw.uniform(-4.3, -3.2)
            envelope = np.sqrt(np.maximum(lfilter([share], [1, share - 1], mix**2), 1e-8))
            gain = np.minimum((envelope / envelope.mean()) ** -self.draw.uniform(0.2, 0.8), 8)
            mix, near, noise = mix * gain, near * gain, noise * gain
        peak = np.max(np.abs(mix))
        if peak > 0.95 and self.draw.random() < 0.7:
            mix, near, noise = (x * 0.95 / peak for x in (mix, near, noise))
        if self.draw.random() < 0.08:  # a converter that clips
            mix = np.clip(mix, -peak * (c := self.draw.uniform(0.3, 0.8)), peak * c)
        if self.draw.random() < 0.05:  # dropouts
            for _ in range(self.draw.integers(1, 5)):
                at, length = self.draw.integers(self.frames), self.draw.integers(80, 800)
                for x in (mix, near, noise):
                    x[at : at + length] = 0
        return np.clip(mix, -1, 1), near, noise

    def _gate(self, mix: np.ndarray) -> np.ndarray:
        spectrum = spectra(mix)
        floor = np.percentile(spectrum, self.draw.uniform(10, 40), axis=1).mean() + 1e-12
        least = 10 ** (-self.draw.uniform(15, 60) / 20) if self.draw.random() < 0.8 else 0
        gain = np.where(spectrum.mean(0) > floor * 10 ** self.draw.uniform(0.3, 1.5), 1, least)
        return np.broadcast_to(lfilter([0.4], [1, -0.6], gain), spectrum.shape)

    def _wiener(self, mix: np.ndarray) -> np.ndarray:
        spectrum = spectra(mix)
        floor = np.percentile(spectrum, self.draw.uniform(10, 40), axis=1, keepdims=True) + 1e-12
        smooth = lfilter([0.5], [1, -0.5], spectrum, axis=1)
        return np.maximum(
            1 - self.draw.uniform(1, 3) * floor / np.maximum(smooth, 1e-12), 10 ** (-self.draw.uniform(8, 30) / 20)
        )

    def _cancelling_mask(self, echo: np.ndarray, rest: np.ndarray) -> np.ndarray:
        left, other = spectra(echo) * 10 ** (self.draw.uniform(-10, 5) / 10), spectra(rest)
        gain = np.sqrt(other / (other + left + 1e-12))
        return np.maximum(lfilter([0.6], [1, -0.4], gain, axis=1), 10 ** (-self.draw.uniform(10, 35) / 20))


def peaking(frequency: float, quality: float, gain: float) -> tuple[np.ndarray, np.ndarray]:
    """A peaking equalizer's coefficients (Bristow-Johnson's cookbook); gain in dB."""
    a, w = 10 ** (gain / 40), 2 * np.pi * frequency / RATE
    alpha = np.sin(w) / (2 * quality)
    b = np.array([1 + alpha * a, -2 * np.cos(w), 1 - alpha * a])
    c = np.array([1 + alpha / a, -2 * np.cos(w), 1 - alpha / a])
    return b / c[0], c / c[0]


def spectra(sound: np.ndarray) -> np.ndarray:
    return np.abs(stft(sound, RATE, nperseg=FRAME, noverlap=FRAME // 2)[2]) ** 2


def masked(mask: np.ndarray, sound: np.ndarray) -> np.ndarray:
    spectrum = stft(sound, RATE, nperseg=FRAME, noverlap=FRAME // 2)[2]
    result = istft(mask[:, : spectrum.shape[1]] * spectrum, RATE, nperseg=FRAME, noverlap=FRAME // 2)[1]
    return np.pad(result, (0, max(0, len(sound) - len(result))))[: len(sound)]
