#!/usr/bin/env python3
"""A client of nearend's control socket, with Python's standard library alone.

  control_client.py status                  who sends and receives, and every participant's buffer
  control_client.py set bypassVoiceProcessing true
  control_client.py play alice far.wav      a participant: plays a 16-bit WAV file
  control_client.py record near.wav 5       records the echo-free microphone for 5 seconds
  control_client.py events                  what happens, one line each, until it is interrupted
"""
import http.client, json, os, socket, sys, wave

RATE = 48000


class Nearend(http.client.HTTPConnection):
    """HTTP/1.1 over the Unix socket of the nearend that runs in this session."""

    def __init__(self):
        super().__init__("nearend")
        folder = os.environ.get("XDG_RUNTIME_DIR", f"/run/user/{os.getuid()}")
        self.path = os.path.join(folder, "nearend", "control.sock")

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            self.sock.connect(self.path)
        except (FileNotFoundError, ConnectionRefusedError):
            sys.exit("no nearend runs in this session; start one with: nearend --headless")

    def ask(self, method, path, body=None, **options):
        """Returns the answer to one request; if nearend refuses it, exits with nearend's error message."""
        self.request(method, path, body, **options)
        answer = self.getresponse()
        if answer.status >= 400:
            sys.exit(json.load(answer)["error"])
        return answer


def status():
    document = json.load(Nearend().ask("GET", "/status"))
    print(f"{document['session']['state']}, voice processing by {document['processing']['library']}")
    for sink in document["sinks"]:
        print(f"  {sink['id']}: {sink['state']}, {sink['fillBytes']}/{sink['capacityBytes']} bytes, {sink['totalUnderruns']} underruns")


def change(name, value):
    try:
        value = json.loads(value)
    except ValueError:
        pass  # a device's name
    Nearend().ask("PATCH", "/settings", json.dumps({name: value}), headers={"Content-Type": "application/json"})


def play(name, path):
    with wave.open(path) as sound:
        if sound.getsampwidth() != 2:
            sys.exit(f"{path}: {8 * sound.getsampwidth()} bits a sample; give a WAV file of 16")
        pcm = iter(lambda: sound.readframes(sound.getframerate() // 50), b"")
        where = f"/sinks/{name}?rate={sound.getframerate()}&channels={sound.getnchannels()}"
        # nearend accepts audio at the rate at which it plays it, so no timing is needed here.
        answer = Nearend().ask("PUT", where, pcm, encode_chunked=True, headers={"Transfer-Encoding": "chunked"})
        print(answer.read().decode())


def record(path, seconds):
    answer = Nearend().ask("GET", f"/source?rate={RATE}&channels=1")
    with wave.open(path, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(RATE)
        sound.writeframes(answer.read(int(float(seconds) * RATE) * 2))


def events():
    for line in Nearend().ask("GET", "/events"):
        event = json.loads(line)
        print(event["kind"], event.get("mediaId", ""), event["detail"])


if __name__ == "__main__":
    commands = {"status": status, "set": change, "play": play, "record": record, "events": events}
    command = commands.get(sys.argv[1] if len(sys.argv) > 1 else "")
    if command is None:
        sys.exit(__doc__)
    try:
        command(*sys.argv[2:])
    except TypeError:
        sys.exit(__doc__)
    except (OSError, ValueError, wave.Error) as error:
        sys.exit(f"{' '.join(sys.argv[1:])}: {error}")
    except KeyboardInterrupt:
        pass
