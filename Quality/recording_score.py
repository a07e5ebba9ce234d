"""Measures one processed microphone of a recording, at 16 kHz.

echo, deg   AECMOS at 16 kHz, in pieces of at most 20 s: how little echo is heard, how little the near end is harmed;
            1 to 5
erle        dB by which the power falls while the far end plays, from 3 s on, where only the far end talks; never
            more than 60
first       the same in the first 2 s of sound from the far end
stoi        intelligibility of the near end, 0 to 1, where its own sound is known
"""

import numpy as np
import soundfile
import soxr
from pystoi import stoi

import recordings
from measures import SPEECH_RATE, erle, lag, moved_earlier
from opinion import MOST_SECONDS

MEASURES = ("echo", "deg", "erle", "first", "stoi")
PIECE = MOST_SECONDS * SPEECH_RATE  # frames, of what AECMOS hears at once
MOST_ERLE = 60  # dB: what is softer is not heard, and would decide the mean
SETTLED = 3 * SPEECH_RATE  # frames, from which on the echo is to be gone
FIRST = 2 * SPEECH_RATE  # frames
ACTIVE_POWER = 1e-5  # of the far end, over ACTIVE_FRAMES: -50 dBFS
ACTIVE_FRAMES = SPEECH_RATE // 10


def read_speech(path):
    """Returns the file's samples at SPEECH_RATE, its channels averaged."""
    samples, rate = soundfile.read(path, dtype="float32", always_2d=True)
    samples = samples.mean(axis=1)
    return samples if rate == SPEECH_RATE else soxr.resample(samples, rate, SPEECH_RATE)


def as_sent(samples):
    """Returns the samples as a call sends them: with 16 bits, below which an echo is silence."""
    return np.clip(np.round(samples * 32_768), -32_768, 32_767) / np.float32(32_768)


def plays(far):
    """Returns whether the far end plays, of each frame."""
    power = np.convolve(far**2, np.full(ACTIVE_FRAMES, 1 / ACTIVE_FRAMES), "same")
    return power > ACTIVE_POWER


def pieces(frames):
    """Returns the equal stretches of at most 20 s that make up so many frames."""
    count = -(-frames // PIECE)
    return [slice(piece * frames // count, (piece + 1) * frames // count) for piece in range(count)]


class ScoredRecording:
    """One recording, with everything that is computed once for all programs."""

    def __init__(self, folder, case, opinion):
        self.opinion, self.scenario = opinion, recordings.scenario(case)
        self.sounds = {
            name: read_speech(recordings.find_part(f"{folder}/{case['name']}", name)) for name in recordings.parts(case)
        }
        self.features = {}

    def score(self, path):
        """Returns the measures, by name, of the processed microphone in the file; only those that the kind has."""
        processed = as_sent(read_speech(path))
        frames = min(len(processed), len(self.sounds["far"]), len(self.sounds["mic"]))
        processed = processed[:frames]
        far, mic = (self.sounds[name][:frames] for name in ("far", "mic"))
        echo, deg = self.rate(processed)
        found = {} if self.scenario == "nst" else {"echo": echo}
        if self.scenario == "st":
            found |= self.score_echo(far, mic, processed)
        else:
            found["deg"] = deg
        if "near" in self.sounds:
            found["stoi"] = intelligibility(self.sounds["near"][:frames], processed)
        return found

    def rate(self, processed):
        """Returns (echo, deg): the means over the pieces."""
        heard = pieces(len(processed))
        rated = [
            self.opinion.rate(self.scenario, *self.features_of(piece), self.opinion.features(processed[piece]))
            for piece in heard
        ]
        return np.mean(rated, axis=0).tolist()

    def features_of(self, piece):
        """Returns the features of far end and microphone."""
        key = piece.start, piece.stop
        if key not in self.features:
            self.features[key] = [self.opinion.features(self.sounds[name][piece]) for name in ("far", "mic")]
        return self.features[key]

    @staticmethod
    def score_echo(far, mic, processed):
        active = np.flatnonzero(plays(far))
        stretches = {"erle": active[active > SETTLED]}
        stretches["first"] = active[active < active[0] + FIRST] if len(active) else active
        return {
            name: float(min(MOST_ERLE, erle(mic[frames], processed[frames])))
            for name, frames in stretches.items()
            if len(frames)
        }


def intelligibility(near, processed):
    """Returns STOI, without the delay of the program."""
    late = lag(processed, near)
    return float(stoi(near, moved_earlier(processed, late, len(near)), SPEECH_RATE))
