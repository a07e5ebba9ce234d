"""The programs compared: each turns a case's far end and microphone into one processed microphone."""

import ctypes
import hashlib
import importlib.metadata
import importlib.util
import json
import multiprocessing
import os
import re
import shutil
import subprocess
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import soundfile
import soxr

from recordings import find_part

RATE = 48_000
BLOCK = RATE // 100
WEBRTC_RATES = (16_000, 32_000, 48_000)
HERE = Path(__file__).resolve().parent
MADE = "made.json"
PARTS = {"untouched": "mic", "ideal": "near"}


class Unavailable(Exception):
    """The program is not available on this machine; says why."""


@dataclass(frozen=True)
class Part:
    """One of the case's files, as it is."""

    name: str
    version: str = "-"

    def process(self, case, out):
        samples, rate = soundfile.read(find_part(case, self.name), dtype="float32", always_2d=True)
        write(out, samples.mean(axis=1), rate)


@dataclass(frozen=True)
class Nearend:
    """`nearend process` with one of its engines and mic modes; None stands for the default."""

    binary: Path
    engine: str | None
    version: str
    mode: str | None = None
    data: Path | None = None  # the folder in which voice isolation is installed
    options: tuple[str, ...] = ("--sample-type", "float")

    def process(self, case, out):
        self.run(find_part(case, "mic"), find_part(case, "far"), out)

    def run(self, mic, far, out, *more):
        """Returns the peak memory in MB, and the seconds of processor time."""
        command = [self.binary, "process", "--mic", mic, "--far", far, "--out", out, *self.options, *more]
        command += ["--aec", self.engine] if self.engine else []
        command += ["--mic-mode", self.mode] if self.mode else []
        environment = os.environ | ({"XDG_DATA_HOME": str(self.data)} if self.data else {})
        with tempfile.TemporaryFile("w+") as log:
            ran = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=log, env=environment)
            _, status, usage = os.wait4(ran.pid, 0)
            ran.returncode = os.waitstatus_to_exitcode(status)
            if ran.returncode:
                log.seek(0)
                raise RuntimeError(f"nearend process failed with {ran.returncode}: {log.read().strip()}")
        return usage.ru_maxrss / 1_024, usage.ru_utime + usage.ru_stime

    def cost(self, mic, far, out):
        """Returns the seconds of processor time; the voice keeps the latency of a live session."""
        return self.run(mic, far, out, "--keep-delay")[1]

    def frame_times(self, mic):
        """Returns the seconds that the library which nearend loads takes to isolate each block; None in other modes."""
        if self.mode != "voiceIsolation":
            return None
        folder = self.data / "nearend" / "isolation"
        library = ctypes.CDLL(folder / "libdeepfilter.so")
        library.df_create.restype = ctypes.c_void_p
        library.df_process_frame.restype = ctypes.c_float
        model = os.fsencode(folder / "DeepFilterNet3_onnx.tar.gz")
        state = ctypes.c_void_p(library.df_create(model, ctypes.c_float(100), None))
        voice = np.zeros(BLOCK, np.float32)
        target = ctypes.c_void_p(voice.ctypes.data)
        times = timed_blocks(mic, lambda block: library.df_process_frame(state, block, target))
        library.df_free(state)
        return times


def best_microphone(case):
    """Returns the number, from 1, of the array's microphone that hears best."""
    import arrays

    return arrays.best(json.loads((Path(case) / "case.json").read_text()))


@dataclass(frozen=True)
class BestMicrophone:
    """The best of an array's microphones as it is."""

    version: str = "-"

    def process(self, case, out):
        samples, rate = soundfile.read(find_part(case, "mic"), dtype="float32", always_2d=True)
        write(out, samples[:, best_microphone(case) - 1], rate)


@dataclass(frozen=True)
class NearendOfArray:
    """nearend with some of an array's microphones: those that it chooses itself, the mean of all, or the best one."""

    program: Nearend
    channels: str

    @property
    def version(self):
        return f"{self.program.version}, {self.channels}"

    def process(self, case, out):
        channels = str(best_microphone(case)) if self.channels == "best" else self.channels
        self.program.run(find_part(case, "mic"), find_part(case, "far"), out, "--mic-channels", channels)


@dataclass(frozen=True)
class EachApart:
    """A canceller for each of an array's microphones, and the mean of what comes out."""

    program: "AEC3"

    @property
    def version(self):
        return f"{self.program.version}, each apart"

    def process(self, case, out):
        samples, rate = soundfile.read(find_part(case, "mic"), dtype="float32", always_2d=True)
        voices = []
        with tempfile.TemporaryDirectory() as folder:
            apart, voice = Path(folder) / "case", Path(folder) / "out.wav"
            apart.mkdir()
            (apart / "far.wav").symlink_to(Path(find_part(case, "far")).resolve())
            for channel in samples.T:
                soundfile.write(apart / "mic.wav", channel, rate, subtype="FLOAT")
                self.program.process(apart, voice)
                voices.append(soundfile.read(voice, dtype="float32")[0])
        write(out, np.mean(voices, axis=0), rate)


@dataclass(frozen=True)
class ModuleEchoCancel:
    """PipeWire's module-echo-cancel: webrtc-audio-processing, 0.3 or 1.3, with its settings."""

    binary: Path
    version: str
    loader: tuple = ()  # what runs a binary of another Debian

    def process(self, case, out):
        far, mic = read_pair(case)
        with tempfile.TemporaryDirectory() as folder:
            paths = [Path(folder) / name for name in ("far", "mic", "out")]
            far.mean(axis=1).tofile(paths[0])
            mic.tofile(paths[1])
            subprocess.run([*self.loader, self.binary, *paths], check=True)
            write(out, np.fromfile(paths[2], np.float32))


@dataclass(frozen=True)
class AEC3:
    """WebRTC's AEC3 with noise suppression and high-pass filter, in LiveKit's build."""

    version: str

    def process(self, case, out):
        from livekit.rtc import AudioFrame
        from livekit.rtc.apm import AudioProcessingModule

        settings = {
            "echo_cancellation": True,
            "noise_suppression": True,
            "high_pass_filter": True,
            "auto_gain_control": False,
        }
        processing = AudioProcessingModule(**settings)
        rate = least_rate(case)
        far, mic = (np.clip(samples * 32_768, -32_768, 32_767).astype(np.int16) for samples in read_pair(case, rate))
        size = rate // 100
        voice = np.zeros(len(mic) // size * size, np.int16)
        for start in range(0, len(voice), size):
            block = slice(start, start + size)
            processing.process_reverse_stream(AudioFrame(bytearray(far[block].tobytes()), rate, far.shape[1], size))
            processing.set_stream_delay_ms(0)
            frame = AudioFrame(bytearray(mic[block].tobytes()), rate, 1, size)
            processing.process_stream(frame)
            voice[block] = np.frombuffer(bytes(frame.data.cast("b")), np.int16)
        write(out, voice.astype(np.float32) / 32_768, rate)


@dataclass(frozen=True)
class RNNoise:
    """RNNoise, the denoiser of NoiseTorch and EasyEffects, in pyrnnoise's build. It cancels no echo."""

    library: Path
    version: str

    def process(self, case, out):
        self.cost(find_part(case, "mic"), None, out)

    def load(self):
        rnnoise = ctypes.CDLL(self.library)
        rnnoise.rnnoise_create.restype = ctypes.c_void_p
        return rnnoise

    def frame_times(self, mic):
        """Returns the seconds that each block takes."""
        rnnoise = self.load()
        state = ctypes.c_void_p(rnnoise.rnnoise_create(None))
        times = timed_blocks(mic, lambda block: rnnoise.rnnoise_process_frame(state, block, block), 32_768)
        rnnoise.rnnoise_destroy(state)
        return times

    def cost(self, mic, _far, out):
        """Returns the seconds of processor time."""
        rnnoise = self.load()
        voice, _ = soundfile.read(mic, dtype="float32")
        voice = np.concatenate([voice, np.zeros(-len(voice) % BLOCK, np.float32)]) * np.float32(32_768)
        state, blocks = ctypes.c_void_p(rnnoise.rnnoise_create(None)), voice.ctypes.data
        begin = time.process_time()
        for block in range(blocks, blocks + voice.nbytes, BLOCK * voice.itemsize):
            rnnoise.rnnoise_process_frame(state, ctypes.c_void_p(block), ctypes.c_void_p(block))
        took = time.process_time() - begin
        rnnoise.rnnoise_destroy(state)
        write(out, voice / 32_768)
        return took


def timed_blocks(mic, process, scale=1):
    """Returns the seconds that `process`, called with a block's address, takes for each whole block of a file."""
    sound, _ = soundfile.read(mic, dtype="float32")
    sound = sound[: len(sound) // BLOCK * BLOCK] * np.float32(scale)
    first, times = sound.ctypes.data, np.empty(len(sound) // BLOCK)
    for index in range(len(times)):
        block = ctypes.c_void_p(first + index * BLOCK * sound.itemsize)
        begin = time.perf_counter()
        process(block)
        times[index] = time.perf_counter() - begin
    return times


def least_rate(case):
    """Returns the least rate of WebRTC's that holds the microphone's sound, in Hz."""
    rate = soundfile.info(find_part(case, "mic")).samplerate
    return next((known for known in WEBRTC_RATES if known >= rate), WEBRTC_RATES[-1])


def read_at(path, rate):
    """Reads a file as float32 at a rate in Hz: (frames, channels)."""
    samples, its_rate = soundfile.read(path, always_2d=True, dtype="float32")
    return samples if its_rate == rate else soxr.resample(samples, its_rate, rate)


def read_pair(case, rate=RATE):
    """Reads the far end, (frames, channels), and the microphone, (frames,), as float32; as long as each other."""
    far, mic = (read_at(find_part(case, name), rate) for name in ("far", "mic"))
    far = np.pad(far, ((0, max(0, len(mic) - len(far))), (0, 0)))
    return far[: len(mic)], mic.mean(axis=1)


def write(path, samples, rate=RATE):
    soundfile.write(path, np.clip(samples, -1, 1).astype(np.float32), rate, subtype="FLOAT")


def fingerprint(path):
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()[:12]


def find_nearend(binary, name):
    """Returns nearend with an engine, by name: nearend (its own) or webrtc. Versions without a choice have WebRTC's."""
    if not Path(binary).exists():
        raise Unavailable(f"{binary} is not built")
    usage = subprocess.run([binary, "process", "--help"], capture_output=True, text=True, check=True).stdout
    version = subprocess.run([binary, "--version"], capture_output=True, text=True, check=True).stdout.strip()
    has_engines = re.search(r"--aec <", usage) is not None
    if name == "nearend" and not has_engines:
        raise Unavailable("this nearend has no canceller of its own")
    return Nearend(Path(binary), name if has_engines else None, f"{version} ({fingerprint(binary)})")


def find_module_echo_cancel(build):
    """Builds module_echo_cancel.cpp, if webrtc-audio-processing is 0.3."""
    found = subprocess.run(
        ["pkg-config", "--cflags", "--libs", "--print-errors", "webrtc-audio-processing"],
        capture_output=True,
        text=True,
        check=False,
    )
    if found.returncode:
        raise Unavailable("webrtc-audio-processing 0.3 is not installed")
    source, binary = HERE / "module_echo_cancel.cpp", Path(build) / "module_echo_cancel"
    if not binary.exists() or binary.stat().st_mtime < source.stat().st_mtime:
        Path(build).mkdir(parents=True, exist_ok=True)
        built = subprocess.run(
            ["g++", "-O2", "-w", "-o", binary, source, *found.stdout.split()],
            capture_output=True,
            text=True,
            check=False,
        )
        if built.returncode:
            raise Unavailable(f"{source.name} could not be built:\n{built.stderr}")
    return ModuleEchoCancel(binary, f"webrtc-audio-processing 0.3 ({fingerprint(binary)})")


def find_newest_module_echo_cancel(build):
    """Builds module_echo_cancel.cpp in the Debian of `Scripts/test-debian sid`, which has webrtc 1.3."""
    tree = HERE.parent / ".build-debian-sid"
    if not (tree / "usr/include/webrtc-audio-processing-1").exists():
        raise Unavailable("there is no Debian sid with webrtc-audio-processing 1.3: Scripts/test-debian sid makes one")
    source, binary = HERE / "module_echo_cancel.cpp", Path(build) / "module_echo_cancel_1"
    if not binary.exists() or binary.stat().st_mtime < source.stat().st_mtime:
        Path(build).mkdir(parents=True, exist_ok=True)
        command = f"g++ -O2 -w -o /root/made {source} $(pkg-config --cflags --libs webrtc-audio-processing-1)"
        built = subprocess.run(
            [HERE.parent / "Scripts/debian", "run", tree, "bash", "-c", command],
            env=os.environ | {"SHARE": str(HERE)},
            capture_output=True,
            text=True,
            check=False,
        )
        if built.returncode:
            raise Unavailable(f"{source.name} could not be built in {tree.name}:\n{built.stderr}")
        shutil.copy(tree / "root/made", binary)
    libraries = tree / "usr/lib/x86_64-linux-gnu"
    loader = (libraries / "ld-linux-x86-64.so.2", "--library-path", libraries)
    return ModuleEchoCancel(binary, f"webrtc-audio-processing 1.3 ({fingerprint(binary)})", loader)


def find_aec3():
    if importlib.util.find_spec("livekit") is None:
        raise Unavailable("PyPI's livekit is not installed")
    return AEC3(f"livekit {importlib.metadata.version('livekit')}")


def find_mode(binary, name, build):
    """Returns nearend in a mic mode, by name: wide or isolation."""
    program = find_nearend(binary, "nearend")
    if name == "wide":
        return replace(program, mode="wideSpectrum")
    data = Path(build) / "data"
    environment = os.environ | {"XDG_DATA_HOME": str(data.absolute())}
    installed = subprocess.run(
        [binary, "isolation", "install"], capture_output=True, text=True, check=False, env=environment
    )
    if installed.returncode:
        raise Unavailable(f"nearend isolation install: {installed.stderr.strip()}")
    return replace(program, mode="voiceIsolation", data=data.absolute())


def find_rnnoise():
    package = importlib.util.find_spec("pyrnnoise")
    if package is None:
        raise Unavailable("PyPI's pyrnnoise is not installed")
    library = Path(package.submodule_search_locations[0]) / "librnnoise.so"
    return RNNoise(library, f"pyrnnoise {importlib.metadata.version('pyrnnoise')}")


def find(name, binary, build):
    """Returns the program with this name; raises `Unavailable`."""
    if name == "rnnoise":
        return find_rnnoise()
    if name in ("wide", "isolation"):
        return find_mode(binary, name, build)
    if name in PARTS:
        return Part(PARTS[name])
    if name in ("single", "mean"):
        return find_nearend(binary, "nearend")
    if name == "module-ec":
        return find_module_echo_cancel(build)
    if name == "module-ec-16":
        return find_newest_module_echo_cancel(build)
    if name == "aec3":
        return find_aec3()
    return find_nearend(binary, name)


def without_gain_control(chosen, options=("--sample-type", "float")):
    """Returns {name: program} with nearend's gain control off, because the others have none."""
    return {
        name: replace(program, options=(*options, "--no-agc")) if isinstance(program, Nearend) else program
        for name, program in chosen.items()
    }


def of_arrays(chosen):
    """Returns {name: program} as they take several microphones, without gain control."""
    channels = {"single": "best", "mean": "mean", "nearend": "auto"}
    found = {}
    for name, program in without_gain_control(chosen).items():
        if name == "untouched":
            found[name] = BestMicrophone()
        elif name in channels:
            found[name] = NearendOfArray(program, channels[name])
        else:
            found[name] = EachApart(program)
    return found


def process_case(job):
    program, case, out = job
    program.process(Path(case), Path(out))


def run(program, cases_folder, cases, out_folder, workers=None):
    """Processes into OUT_FOLDER/<case>.wav the cases that this version of the program has not processed yet."""
    out_folder = Path(out_folder)
    out_folder.mkdir(parents=True, exist_ok=True)
    record = out_folder / MADE
    made = json.loads(record.read_text()) if record.exists() else {}
    state = {case["name"]: f"{program.version} {json.dumps(case)}" for case in cases}
    todo = [name for name, of in state.items() if made.get(name) != of or not (out_folder / f"{name}.wav").exists()]
    jobs = [(program, str(Path(cases_folder) / name), str(out_folder / f"{name}.wav")) for name in todo]
    with multiprocessing.Pool(workers or os.cpu_count()) as pool:
        for _ in pool.imap_unordered(process_case, jobs):
            pass
    record.write_text(json.dumps(made | {name: state[name] for name in todo}))
