"""Counts the words that a recognizer gets wrong: pocketsphinx with the English model that its package contains."""

import functools
from dataclasses import dataclass

import numpy as np

from measures import SPEECH_RATE
from voices import words_of


@dataclass(frozen=True)
class Heard:
    """What was said, and how much of it is wrong: replaced, left out or added."""

    words: int
    errors: int

    @property
    def share(self):
        """Returns the word error rate, in %; more than 100 where much is added."""
        return 100 * self.errors / self.words


@functools.cache
def decoder():
    from pocketsphinx import Decoder

    return Decoder(samprate=SPEECH_RATE, loglevel="FATAL")


def recognized(samples):
    """Returns the words that are recognized in sound at SPEECH_RATE."""
    engine = decoder()
    engine.start_utt()
    engine.process_raw((np.clip(samples, -1, 1) * 32_767).astype(np.int16).tobytes(), full_utt=True)
    engine.end_utt()
    return words_of(engine.hyp().hypstr) if engine.hyp() else []


def errors(said, heard):
    """Returns by how many words `heard` differs from `said`: Levenshtein's distance."""
    distances = list(range(len(heard) + 1))
    for row, word in enumerate(said, 1):
        above, distances = distances, [row]
        for column, other in enumerate(heard, 1):
            replaced = above[column - 1] + (word != other)
            distances.append(min(above[column] + 1, distances[-1] + 1, replaced))
    return distances[-1]


def listen(said, samples):
    """Returns what is wrong of the words that were said in sound at SPEECH_RATE."""
    return Heard(len(said), errors(said, recognized(samples)))
