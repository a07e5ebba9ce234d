"""Situations of a call, made from a seed: what the kinds of cases.py lack. Each has an event, from which its passages
are counted (passages.py).

    onset     far end alone; heard only after 6 to 10 s: the loudspeaker was off, or the microphone muted (zeros)
    ringback  two to four bursts of a ringing tone with silence between, then the far end talks
    turned    both talk; the loudspeaker is turned by -12, -6 or +6 dB meanwhile
    clipped   far end alone, then both; the echo's peaks are 6 or 12 dB over full scale, and cut
    softfar   far end alone, then both; the far end is 30 dB softer, and its echo as loud as ever
    pause     far end alone; it is silent for 20 s, in which the echo's path changes
    answers   far end alone, in seven answers of 2 s with 10 s of silence between; the clocks drift by 20 to 100 ppm
    fanned    far end alone, music or speech; a fan in the room is switched on meanwhile
    skipped   far end alone; 11 ms of the microphone, or of the far end's recording, are lost meanwhile
    narrow    far end alone, then both; the far end, or its recording alone, ends at 4 kHz
    gated     far end alone, then both; the microphone's gate makes exact zeros of what is soft
    ahead     far end alone, then both; the far end's recording is 0.9 ms later than the loudest of its echo
    rough     far end alone, then both; a small loudspeaker clips, and its housing rattles

far.wav is rounded to 16 bits before the echo is made of it, so that the loudspeaker plays what the file says, but
where it is a recording that is narrower, late, or lacks something.
"""

import numpy as np
from scipy.signal import butter, fftconvolve, lfilter, sosfiltfilt

import cases
import noises
import sound
from kinds import SITUATIONS
from sound import RATE

FIRST_SITUATION = 200  # the number of the first one; kinds count from 0, noises from 100
BOTH_FROM = 8  # s, in TALKS_LATER
TALKS_LATER = ("clipped", "softfar", "narrow", "gated", "ahead", "rough")
TONES = {"440+480": ((440, 480), 2, 4), "425": ((425,), 1, 4)}  # hertz, seconds of tone and of silence
FIRST_TONE = 0.5  # s
TURNED_AT, TURNED_TALK, TURN_SECONDS = 10, (5, 15), 0.1  # s
PAUSE, PAUSE_TALK, MOVED_AT = (10, 30), (11, 28), 20  # s
SOFT_DB = 30
ANSWERS, ANSWER_SECONDS, ANSWER_PERIOD, FIRST_ANSWER = 7, 2, 12, 1  # s
FANNED_AT = 8  # s
SKIPPED_AT, SKIP = 8, 11 * RATE // 1_000  # s, frames
BAND = 4_000  # Hz
# A gate: what is softer than this opens it not, and it stays open for so long.
GATE_LEVEL, GATE_OPEN = sound.LEVEL * sound.decibels(-22), RATE // 10
AHEAD = 9 * RATE // 10_000  # frames
# A small loudspeaker: the lowest note that it has, the peaks that it cuts, and a housing that rattles with it.
BASS, PEAK = 250, 1.2 * sound.LEVEL
RATTLE_BAND, RATTLE_SPEED, RATTLE_DB = (600, 3_000), 0.003, 10
WINDOW = RATE // 2
LEAST_LEVEL = sound.LEVEL * sound.decibels(-9)  # of each half second that is scored
SPARE = 6 * RATE  # frames of speech to choose from
QUANTA = 32_768


def draw(kind, index, seed):
    """Draws the properties of the case `index` of a situation; `event` is its time at the microphone, in s."""
    seed += 1_000 * (FIRST_SITUATION + SITUATIONS.index(kind)) + 10 * index
    random = np.random.default_rng(seed)
    case = {"name": f"{kind}{index}", "kind": kind, "seed": seed} | cases.surroundings(random)
    return case | OF_KIND[kind](case, index, random)


def heard_at(case, time):
    """Returns when the microphone hears what the far end says at `time`, in s."""
    return round(time + case["delay_ms"] / 1_000, 3)


def of_onset(case, index, random):
    begin = round(random.uniform(6, 10), 2)
    silent = ("loudspeaker", "microphone")[index % 2]
    event = begin if silent == "microphone" else heard_at(case, begin)
    return {"seconds": 14, "silent": silent, "begin": begin, "event": event}


def of_ringback(case, index, random):
    name = tuple(TONES)[index % 2]
    bursts = int(random.integers(2, 5))
    _, tone, silence = TONES[name]
    begin = round(FIRST_TONE + bursts * tone + (bursts - 1) * silence + random.uniform(0.5, 2), 2)
    return {"seconds": int(begin) + 6, "tone": name, "bursts": bursts, "begin": begin, "event": heard_at(case, begin)}


def of_turned(case, index, _random):
    return {"seconds": 20, "turned_db": (-12, -6, 6)[index % 3], "event": heard_at(case, TURNED_AT)}


def of_clipped(_case, index, random):
    return {
        "seconds": 20,
        "over_db": (6, 12)[index % 2],
        "ser_db": round(random.uniform(-10, 0), 1),
        "event": BOTH_FROM,
    }


def of_both(_case, _index, _random):
    return {"seconds": 18, "event": BOTH_FROM}


def of_pause(case, index, _random):
    return {"seconds": 40, "near_talks": bool(index % 2), "event": heard_at(case, PAUSE[1])}


def of_answers(case, _index, random):
    last = FIRST_ANSWER + (ANSWERS - 1) * ANSWER_PERIOD
    ppm = int(random.uniform(20, 100) * random.choice([-1, 1]))
    return {"seconds": last + 4, "ppm": ppm, "event": heard_at(case, last)}


def of_fanned(_case, index, random):
    return {
        "seconds": 24,
        "played": ("music", "speech")[index % 2],
        "fan_db": round(random.uniform(5, 15), 1),
        "event": FANNED_AT,
    }


def of_skipped(case, index, _random):
    return {
        "seconds": 14,
        "lost": ("microphone", "far end")[index % 2],
        "delay_ms": max(case["delay_ms"], 20),
        "event": SKIPPED_AT if index % 2 == 0 else heard_at(case, SKIPPED_AT),
    }


def of_narrow(case, index, random):
    return of_rough(case, index, random) | {"narrow": ("far end", "recording")[index % 2]}


def of_rough(case, index, random):
    return of_both(case, index, random) | {"distortion": 0.0}


def of_ahead(case, index, random):
    return of_both(case, index, random) | {"delay_ms": 0}


OF_KIND = {
    "onset": of_onset,
    "ringback": of_ringback,
    "turned": of_turned,
    "clipped": of_clipped,
    "softfar": of_both,
    "pause": of_pause,
    "answers": of_answers,
    "fanned": of_fanned,
    "skipped": of_skipped,
    "narrow": of_narrow,
    "gated": of_both,
    "ahead": of_ahead,
    "rough": of_rough,
}


def keeps_talking(samples):
    """Whether each half second of the first 2 s is loud enough to be scored."""
    windows = samples[: 4 * WINDOW].reshape(4, WINDOW)
    return bool(np.all(np.sqrt(np.mean(windows**2, axis=1)) > LEAST_LEVEL))


def talking_at(voice, random, frames, place):
    """Returns speech that goes on for 2 s at `place`, in frames."""
    while True:
        longer = sound.speech(voice, random, frames + SPARE)
        for skipped in range(0, SPARE, RATE // 20):
            if keeps_talking(longer[skipped + place :]):
                return longer[skipped : skipped + frames]


def beginning_at(voice, random, frames, place):
    """Returns speech that begins at `place`, in frames, and goes on for 2 s."""
    while True:
        spoken = sound.speech(voice, random, frames + SPARE, lead=0)
        spoken = spoken[np.argmax(np.abs(spoken) > LEAST_LEVEL) :]
        if keeps_talking(spoken):
            return np.concatenate([np.zeros(place), spoken])[:frames]


def between(samples, begin, end):
    """Returns the samples, silent except from `begin` to `end`, in s."""
    times = np.arange(len(samples)) / RATE
    return samples * np.clip((end - times) / 0.02, 0, 1) * (times >= begin)


def answering(voice, random, frames):
    """Returns answers of ANSWER_SECONDS, one each ANSWER_PERIOD."""
    said = np.zeros(frames)
    for number in range(ANSWERS):
        begin = (FIRST_ANSWER + number * ANSWER_PERIOD) * RATE
        said[begin : begin + ANSWER_SECONDS * RATE] = beginning_at(voice, random, ANSWER_SECONDS * RATE, 0)
    return said


def ringing(case, frames):
    hertz, tone, silence = TONES[case["tone"]]
    times = np.arange(frames) / RATE - FIRST_TONE
    sounds = (times >= 0) & (times % (tone + silence) < tone) & (times < case["bursts"] * (tone + silence))
    waves = sum(np.sin(2 * np.pi * one * times) for one in hertz)
    return sound.LEVEL * waves / np.sqrt(len(hertz) / 2) * sounds


def far_end(case, voice, random, frames):
    """Returns what the call plays: (frames,)."""
    kind = case["kind"]
    if kind == "onset":
        return talking_at(voice, random, frames, int(case["begin"] * RATE))
    if kind == "ringback":
        return ringing(case, frames) + beginning_at(voice, random, frames, int(case["begin"] * RATE))
    if kind == "pause":
        before = between(sound.speech(voice, random, frames), 0, PAUSE[0])
        return before + beginning_at(voice, random, frames, PAUSE[1] * RATE)
    if kind == "softfar":
        return sound.speech(voice, random, frames) * sound.decibels(-SOFT_DB)
    if kind == "answers":
        return answering(voice, random, frames)
    if case.get("played") == "music":
        return sound.music(random, frames)[0]
    if case.get("narrow") == "far end":
        return narrowed(sound.speech(voice, random, frames))
    return sound.speech(voice, random, frames)


def filtered(samples, order, hertz, kind):
    return sosfiltfilt(butter(order, hertz, kind, fs=RATE, output="sos"), samples)


def narrowed(samples):
    return filtered(samples, 8, BAND, "low")


def skipped(samples):
    at = SKIPPED_AT * RATE
    return np.concatenate([samples[:at], samples[at + SKIP :], np.zeros(SKIP)])


def recorded(case, far):
    """Returns the recording of the far end that the loudspeaker plays."""
    if case.get("lost") == "far end":
        return skipped(far)
    if case.get("narrow") == "recording":
        return narrowed(far)
    if case["kind"] == "ahead":
        late = int(np.argmax(np.abs(response(case, case["seed"] + 1)[0]))) + AHEAD
        return np.concatenate([np.zeros(late), far[:-late]])
    return far


def near_end(case, voice, random, frames):
    """Returns the talker at the microphone, without the room."""
    kind = case["kind"]
    if kind == "turned":
        return between(sound.speech(voice, random, frames, lead=TURNED_TALK[0]), *TURNED_TALK)
    if kind in TALKS_LATER:
        return sound.speech(voice, random, frames, lead=BOTH_FROM)
    if kind == "pause" and case["near_talks"]:
        return between(sound.speech(voice, random, frames, lead=PAUSE_TALK[0]), *PAUSE_TALK)
    return np.zeros(frames)


def volume(case, frames):
    """Returns the loudspeaker's gain at each frame."""
    times = np.arange(frames) / RATE
    if case["kind"] == "softfar":
        return np.full(frames, sound.decibels(SOFT_DB))
    if case["kind"] == "turned":
        turned = np.clip((times - TURNED_AT) / TURN_SECONDS, 0, 1)
        return 1 - turned + turned * sound.decibels(case["turned_db"])
    if case.get("silent") == "loudspeaker":
        return 1.0 * (times >= case["begin"])
    return np.ones(frames)


def usual(case, echo):
    """Returns the part of the echo that has the usual level."""
    event = int(case["event"] * RATE)
    parts = {"onset": slice(event, None), "ringback": slice(event, None), "turned": slice(event)}
    if case["kind"] == "answers":
        return echo[event : event + ANSWER_SECONDS * RATE]
    return echo[parts.get(case["kind"], slice(PAUSE[0] * RATE))]


def roughened(played, random):
    """Returns what a small loudspeaker makes of a sound."""
    cut = np.clip(filtered(played, 2, BASS, "high"), -PEAK, PEAK)
    noise = filtered(random.normal(size=len(played)), 2, RATTLE_BAND, "band")
    step = 1 / (RATTLE_SPEED * RATE)
    rattle = noise * lfilter([step], [1, step - 1], np.abs(cut))
    return cut + rattle * np.std(cut) / np.std(rattle) * sound.decibels(-RATTLE_DB)


def response(case, seed):
    """Returns the room's, of the loudspeaker."""
    return sound.responses(np.random.default_rng(seed), case["rt60"], case["dist"])


def echo_of(case, far):
    """Returns the echo of the far end."""
    played = sound.saturated(far * volume(case, len(far)), case["distortion"])
    if case["kind"] == "rough":
        played = roughened(played, np.random.default_rng(case["seed"] + 3))

    def heard(seed, samples):
        return sound.through_room(samples[None], response(case, seed), int(case["delay_ms"] * RATE / 1_000))

    if case["kind"] == "pause":
        moved = np.arange(len(played)) >= MOVED_AT * RATE
        echo = heard(case["seed"] + 1, played * ~moved) + heard(case["seed"] + 2, played * moved)
    else:
        echo = heard(case["seed"] + 1, played)
    if "ppm" in case:
        echo = sound.drifted(echo, case["ppm"])
    if case.get("lost") == "microphone":
        echo = skipped(echo)
    return echo * np.sqrt(sound.LEVEL**2 / sound.power(usual(case, echo)) * 10 ** (-case["ser_db"] / 10))


def gated(mic):
    """Returns the microphone behind a gate."""
    loud = lfilter(np.ones(GATE_OPEN // 10), [1], mic**2) > GATE_LEVEL**2 * (GATE_OPEN // 10)
    opened = lfilter(np.ones(GATE_OPEN), [1], loud.astype(float)) > 0.5
    return mic * opened


def fitting(samples):
    """Returns the factor that brings the samples below full scale."""
    return min(1.0, 0.9 / max(np.max(np.abs(samples)), 1e-9))


def build(case):
    """Returns the case's sounds by name."""
    random = np.random.default_rng(case["seed"])
    voices = list(sound.VOICES)
    random.shuffle(voices)
    frames = case["seconds"] * RATE
    far = far_end(case, voices[0], random, frames)
    far = np.round(far * fitting(far) * QUANTA) / QUANTA
    near = near_end(case, voices[1], random, frames)
    echo = echo_of(case, far)
    heard = fftconvolve(near, sound.responses(random, 0.25, 0.5)[0])[:frames]
    if near.any():
        heard *= np.sqrt(sound.power(near) / sound.power(heard))
    mic = echo + heard + sound.noise(random, frames, case["snr_db"])
    if "fan_db" in case:
        fan = noises.fan(random, frames, voices) * sound.decibels(-case["fan_db"])
        mic += fan * (np.arange(frames) >= FANNED_AT * RATE)
    if case.get("silent") == "microphone":
        mic[: int(case["begin"] * RATE)] = 0
    if case["kind"] == "gated":
        mic = gated(mic)
    gain = fitting(mic)
    if case["kind"] == "clipped":
        gain = sound.decibels(case["over_db"]) / np.max(np.abs(echo))
    echo, heard = echo * gain, heard * gain
    # What is compared with the near end is not of its loudness.
    return {
        "far": recorded(case, far)[:, None],
        "mic": np.clip(mic * gain, -1, 1),
        "near": heard * fitting(heard),
        "echo": echo * fitting(echo),
    }


def make_all(folder, seed, per_kind, kinds=SITUATIONS, workers=None):
    """Makes those cases of a seed that do not exist yet; returns the descriptions of all."""
    drawn = [draw(kind, index, seed) for kind in kinds for index in range(per_kind)]
    return cases.make_missing(folder, drawn, build, workers)
