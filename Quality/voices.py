"""What sounds at the near end, where the kinds of cases.py have usual speech.

    child    a woman's voice with the pitch and the formants of a child
    whisper  a voice without pitch, 12 dB softer than speech
    song     a voice that sings what it said
    strings  a violin, a cello
    dog      a dog that barks
    czech    the two talkers of a game, in Czech
    words    English sentences whose text is known

48 kHz, full scale is 1.
"""

import functools
import gzip
import re
from pathlib import Path

import numpy as np

import sound
from sound import RATE

STAMPS = Path("/usr/share/tuxpaint/stamps")
FISH = Path("/usr/share/games/fillets-ng/sound")
TEXTS = Path("/usr/share/doc/asterisk-core-sounds-en/core-sounds-en.txt.gz")
STRINGS = ("hobbies/music/string/violin.ogg", "hobbies/music/string/cello.ogg")
DOG = "animals/mammals/dogs/dog.ogg"
WOMEN = ("en_US_f_Allison", "fr_CA_f_June", "es_MX_f_Allison")
ENGLISH = "en_US_f_Allison"
PAUSE = (0.15, 0.5)  # s, between sentences and notes
DOG_PAUSE = (0.2, 1.2)  # s
SOFTER = {"whisper": 12}  # dB
DIGITS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
BYTES_PER_SECOND = 8_000  # of G.722


def stamp(name):
    path = STAMPS / name
    return sound.recordings(path.parent, path.name)[0]


@functools.cache
def czech_sentences():
    """Returns what the two fish of the game say that is longer than a word."""
    return sound.recordings(FISH, "*/cs/*-[mv]-*.ogg", lambda size: size > 15_000)


def words_of(text):
    """Returns the words of a text as they are said: lower case, digits as words."""
    said = re.sub(r"\d", lambda digit: f" {DIGITS[int(digit[0])]} ", text.lower())
    return re.findall(r"[a-z']+", said)


@functools.cache
def english_texts():
    """Returns {recording: its text} for the sentences that sound.speech says, but for those with longer numbers."""
    if not TEXTS.exists():
        raise FileNotFoundError(f"{TEXTS} is missing: Scripts/install-dependencies quality installs it")
    with gzip.open(TEXTS, "rt", errors="replace") as lines:
        found = dict(line.strip().split(":", 1) for line in lines if ":" in line and not line.startswith(";"))
    names = [path.stem for path in sound.sentences(ENGLISH)]
    return {name: found[name] for name in names if name in found and not re.search(r"\d\d|[\[(/]", found[name])}


def sentences_of(random, seconds):
    """Returns the names of English sentences that are said one after another in that time."""
    chosen, left = [], seconds
    for name in random.permutation(list(english_texts())):
        path = sound.SOUNDS / ENGLISH / f"{name}.g722"
        takes = path.stat().st_size / BYTES_PER_SECOND + PAUSE[1]
        if takes <= left:
            chosen, left = [*chosen, str(name)], left - takes
    return chosen


def english(name):
    return sound.decode(sound.SOUNDS / ENGLISH / f"{name}.g722", options=("-f", "g722"))


def one_after_another(next_part, random, frames, pause=PAUSE):
    """Returns parts with pauses between, cut to their length, at sound.LEVEL."""
    parts = []
    while sum(map(len, parts)) < frames:
        parts += [next_part(), np.zeros(int(random.uniform(*pause) * RATE))]
    return sound.levelled(np.concatenate(parts)[:frames])


def changed(change, voice, random, frames):
    """Returns a voice's sentences, changed by one of vocoder's functions."""
    return one_after_another(lambda: change(sound.sentence(voice, random), random), random, frames)


def czech(random, frames):
    files = czech_sentences()
    return one_after_another(lambda: sound.decode(files[random.integers(len(files))]), random, frames)


def strings(random, frames, index):
    """Returns a violin or, of every other index, a cello, that plays the same again and again."""
    played = sound.decode(stamp(STRINGS[index % len(STRINGS)]))
    return one_after_another(lambda: played, random, frames)


def dog(random, frames):
    """Returns two barks again and again, up to 6 dB softer."""
    barks = sound.decode(stamp(DOG))
    return one_after_another(lambda: barks * sound.decibels(-random.uniform(0, 6)), random, frames, DOG_PAUSE)


def said(names, random, frames):
    """Returns the English sentences with those names, whole."""
    parts = []
    for name in names:
        parts += [english(name), np.zeros(int(random.uniform(*PAUSE) * RATE))]
    spoken = np.concatenate(parts)[:frames]
    return sound.levelled(np.pad(spoken, (0, frames - len(spoken))))


def sounding(case, random, frames):
    """Returns the near end of a case, without the room."""
    of = case["sounds"]
    if of == "words":
        return said(case["said"], random, frames)
    if of == "strings":
        return strings(random, frames, case["index"])
    if of in ("dog", "czech"):
        return {"dog": dog, "czech": czech}[of](random, frames)
    import vocoder

    change = {"child": vocoder.child, "whisper": vocoder.whisper, "song": vocoder.song}[of]
    return changed(change, case["voice"], random, frames) * sound.decibels(-SOFTER.get(of, 0))
