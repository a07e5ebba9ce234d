"""What a recording is, as far as its sound tells: what makes it hard for a canceller. At 16 kHz, levels in dB."""

import numpy as np
from scipy import linalg, signal

import recordings
from measures import SPEECH_RATE, power
from recording_score import plays, read_speech

CLIPPED = 0.999  # of the highest sample: what is above it, several frames on end, is cut
FLAT_FRAMES = 3
LEAST_ZEROS = SPEECH_RATE // 100  # frames on end
DELAY_SECONDS, DELAY_STEP = 3, 1
MOST_DELAY = SPEECH_RATE // 2  # frames
MOVED = SPEECH_RATE // 250  # frames: 4 ms
FILTER_FRAMES = 4_096  # 256 ms
LEAST_DIFFERENCE = 6  # dB
LEAST_PAUSES = 0.05  # of the time
WINDOW, TAIL = SPEECH_RATE // 50, 3 * SPEECH_RATE // 10  # frames; in TAIL an echo fades
LEAST_NEAR_END = 20  # dB
BEFORE = SPEECH_RATE // 100  # frames by which the filter begins before the echo
REGULARIZED = 1e-5


def decibels(ratio):
    return 10 * np.log10(ratio)


def runs(wanted, least):
    """Returns the share of frames that are wanted, at least so many on end."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], wanted, [False]])))
    lengths = edges[1::2] - edges[::2]
    return lengths[lengths >= least].sum() / len(wanted)


def clipped(samples):
    """Returns the share of frames that are cut at the highest or lowest level."""
    peak = np.max(np.abs(samples))
    return runs(np.abs(samples) >= CLIPPED * peak, FLAT_FRAMES) if peak > 0 else 0.0


def delays(far, mic):
    """Returns the frames by which the microphone lags in each stretch in which that can be told, by the phase alone."""
    found, active = [], plays(far)
    size = DELAY_SECONDS * SPEECH_RATE
    for start in range(0, len(mic) - size + 1, DELAY_STEP * SPEECH_RATE):
        stretch = slice(start, start + size)
        if np.mean(active[stretch]) < 0.3:
            continue
        cross = np.fft.rfft(mic[stretch], 2 * size) * np.conj(np.fft.rfft(far[stretch], 2 * size))
        phase = np.fft.irfft(cross / (np.abs(cross) + 1e-12))
        likely = np.abs(np.concatenate([phase[-MOST_DELAY:], phase[:MOST_DELAY]]))
        if likely.max() > 8 * np.std(likely):
            found.append(int(np.argmax(likely)) - MOST_DELAY)
    return found


def explained(far, mic, delay):
    """Returns the dB that the best fixed filter of FILTER_FRAMES would take away where the far end plays; its delay in
    frames."""
    early = max(0, delay - BEFORE)
    played = np.concatenate([np.zeros(early), far])[: len(far)].astype(float)
    size = 2 * len(mic)
    spectra = [np.fft.rfft(samples, size) for samples in (played, mic)]
    own = np.fft.irfft(np.abs(spectra[0]) ** 2)[:FILTER_FRAMES]
    shared = np.fft.irfft(spectra[1] * np.conj(spectra[0]))[:FILTER_FRAMES]
    own[0] *= 1 + REGULARIZED
    response = linalg.solve_toeplitz(own, shared)
    left = mic - signal.fftconvolve(played, response)[: len(mic)]
    active = plays(far)
    return float(decibels(power(mic[active]) / power(left[active])))


def milliseconds(frames):
    return f"{max(0, 1_000 * frames // SPEECH_RATE)}"


def delay_facts(found):
    """Yields what the delays tell."""
    if not found:
        yield "no delay of the echo can be told"
        return
    middle = int(np.median(found))
    lowest, highest = (int(bound) for bound in np.percentile(found, (10, 90)))  # single stretches are misheard
    bounds = f"{milliseconds(lowest)} to {milliseconds(highest)} ms"
    if np.mean(np.abs(np.array(found) - middle) <= MOVED) < 0.6:
        yield f"the echo has no steady delay: {bounds}"
    elif highest - lowest > MOVED:
        yield f"the echo's delay moves: {bounds}"
    else:
        yield f"the echo is {milliseconds(middle)} ms late"


def level_facts(far, mic, scenario):
    """Yields how loud the microphone is beside the far end and, if nobody else talks, beside its own pauses."""
    active = plays(far)
    if not active.any():
        yield "the far end is silent"
        return
    louder = decibels(power(mic[active]) / power(far[active]))
    if abs(louder) >= LEAST_DIFFERENCE:
        yield f"the microphone is {abs(louder):.0f} dB {'louder' if louder > 0 else 'softer'} than the far end"
    if scenario == "st" and np.mean(~active) > LEAST_PAUSES:
        over = decibels(power(mic[active]) / power(mic[~active]))
        yield f"the echo is {over:.0f} dB over the noise"


def loudness(samples, wanted, percentile):
    """Returns the power of the windows that are wanted throughout, at a percentile; None if there are too few."""
    count = len(samples) // WINDOW
    whole = wanted[: count * WINDOW].reshape(count, WINDOW).all(axis=1)
    if np.mean(whole) < LEAST_PAUSES:
        return None
    powers = np.mean(samples[: count * WINDOW].reshape(count, WINDOW)[whole] ** 2, axis=1)
    return np.percentile(powers, percentile) + 1e-12


def near_end_facts(far, mic):
    """Yields how loud the near end is, where it talks alone, beside the echo and the noise."""
    active = plays(far)
    echoes = np.convolve(active, np.ones(TAIL))[: len(active)] > 0.5
    near, noise, echo = loudness(mic, ~echoes, 90), loudness(mic, ~echoes, 10), loudness(mic, active, 90)
    if near is None or echo is None:
        return
    if decibels(echo / near) >= LEAST_DIFFERENCE:
        yield f"the near end is {decibels(echo / near):.0f} dB softer than the echo"
    if decibels(near / noise) < LEAST_NEAR_END:
        yield f"the near end is {decibels(near / noise):.0f} dB over the noise"


def facts(folder, case):
    """Returns what can be told of a recording, as a list of texts."""
    where = f"{folder}/{case['name']}"
    far, mic = (read_speech(recordings.find_part(where, name)) for name in ("far", "mic"))
    frames = min(len(far), len(mic))
    far, mic = far[:frames], mic[:frames]
    told = []
    zeros = runs(mic == 0, LEAST_ZEROS)
    if zeros > 0.01:
        told.append(f"the microphone is digital silence {100 * zeros:.0f} % of the time")
    for name, samples in (("microphone", mic), ("far end", far)):
        if clipped(samples) > 2e-4:
            told.append(f"the {name} clips")
    told += level_facts(far, mic, recordings.scenario(case))
    if recordings.scenario(case) == "dt":
        told += near_end_facts(far, mic)
    if not plays(far).any():
        return told
    found = delays(far, mic)
    told += delay_facts(found)
    if found and recordings.scenario(case) == "st":
        limit = explained(far, mic, int(np.median(found)))
        told.append(f"the best fixed filter of 256 ms takes {limit:.0f} dB away")
    return told
