# The process behind the package: threads, forks, deaths, and requests that are none.
import json
import os
import signal
import subprocess
import threading
import time

import numpy as np
import pytest

import pe
import pe._tools
from pe._server import server

LINE = {"id": 1, "command": ["--version"]}


def serve(requests, **how):
    text = "".join(request if isinstance(request, str) else json.dumps(request) + "\n" for request in requests)
    done = subprocess.run([pe._tools.find("pe-verify"), "serve"], input=text, capture_output=True, text=True, check=False, **how)
    return done, [json.loads(line) for line in done.stdout.splitlines()]


def test_threads_take_their_turns(cache):
    found = {}

    def work(i):
        found[i] = [pe.check(*cache, encoding="rope", dim=32, base=10000 if i % 2 else 500).ok for _ in range(4)]

    threads = [threading.Thread(target=work, args=(i,)) for i in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {i: [bool(i % 2)] * 4 for i in range(6)}


def test_one_process_serves_all_and_a_dead_one_is_replaced(cache):
    pe.check(*cache, encoding="rope", dim=32)
    first = server.process_id()
    pe.identify(*cache)
    assert server.process_id() == first
    os.kill(first, signal.SIGKILL)
    assert pe.check(*cache, encoding="rope", dim=32).ok
    assert server.process_id() != first


def test_a_fork_has_a_process_of_its_own(cache):
    pe.check(*cache, encoding="rope", dim=32)
    mine = server.process_id()
    child = os.fork()
    if child == 0:
        code = 3
        try:
            good = server.process_id() is None and pe.check(*cache, encoding="rope", dim=32).ok and server.process_id() != mine
            server.close()
            code = 0 if good else 1
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert pe.check(*cache, encoding="rope", dim=32).ok and server.process_id() == mine


def test_an_interrupted_request_leaves_the_next_its_own_answer(cache, monkeypatch):
    def interrupt(number, frame):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        with pytest.raises(KeyboardInterrupt):
            while True:
                pe.check(encoding="rope", length=131072)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert pe.check(*cache, encoding="rope", dim=32).tier == "exact"


def test_a_bad_request_never_ends_the_process():
    deep = "[" * 40 + "]" * 40
    bad = ["{\n", "[]\n", "null\n", '"x"\n', '{"id": 1}\n', '{"id": {}, "command": ["list"]}\n', '{"command": []}\n',
           '{"command": [1]}\n', '{"command": "list"}\n', '{"check": {}}\n', '{"check": 3}\n', '{"check": {"encoding": "rope"}, "timeout": "x"}\n',
           '{"command": ["list"], "timeout": 3}\n', '{"id": 1e999, "command": ["list"]}\n', '{"x": 1}\n', "\0\n", "\udcff\n".encode(
               "utf-8", "replace").decode() , f'{{"check": {deep}}}\n', '{"command": ["a\\u0000b"]}\n', '{"id": 1, "id": 2}\n',
           '{"check": {"encoding": "rope", "file": "/dev/null/x"}}\n', '{"command": ["run", "-"]}\n', '{"command": ["check", "rope", "--file", "-"]}\n']
    done, answers = serve([part for line in bad for part in (line, LINE)])
    assert done.returncode == 0 and done.stderr == "" and len(answers) == 2 * len(bad)
    for i, line in enumerate(bad):
        refused, told = answers[2 * i], answers[2 * i + 1]
        assert refused["exit_code"] == 2 and refused["error"] and "\n" not in refused["error"], (line, refused)
        assert (told["id"], told["exit_code"]) == (1, 0) and told["text"].startswith("pe-verify "), line


def test_long_lines_are_refused_and_read_to_their_end():
    long = '{"id": 1, "command": ["' + "x" * (17 << 20) + '"]}\n'
    done, answers = serve([long, LINE, "\n", long.rstrip("\n")])
    assert done.returncode == 0 and [answer["exit_code"] for answer in answers] == [2, 0, 2]
    assert "16 MiB" in answers[0]["error"] and answers[0]["id"] is None


def test_a_request_that_is_killed_is_an_answer(cache):
    process = subprocess.Popen([pe._tools.find("pe-verify"), "serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    slow = {"id": "slow", "check": {"encoding": "rope", "length": 1000000, "parameters": {"dim": 512}}}
    process.stdin.write((json.dumps(slow) + "\n" + json.dumps(LINE) + "\n").encode())
    process.stdin.flush()
    children, deadline = "", time.time() + 10
    while not children and time.time() < deadline:
        with open(f"/proc/{process.pid}/task/{process.pid}/children", encoding="ascii") as file:
            children = file.read()
    os.kill(int(children.split()[0]), signal.SIGKILL)
    answer, after = json.loads(process.stdout.readline()), json.loads(process.stdout.readline())
    assert answer["id"] == "slow" and answer["kind"] == "ended" and "signal 9" in answer["error"]
    assert after["exit_code"] == 0
    process.stdin.close()
    process.stdout.close()
    assert process.wait(5) == 0


@pytest.mark.parametrize("how", ["its reader goes away", "it is interrupted", "it is killed"])
def test_no_work_outlives_the_process(how):
    process = subprocess.Popen([pe._tools.find("pe-verify"), "serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))  # in the background it is ignored
    slow = {"id": "slow", "check": {"encoding": "rope", "length": 1000000, "parameters": {"dim": 512}}}
    process.stdin.write((json.dumps(slow) + "\n").encode())
    process.stdin.flush()
    children, deadline = "", time.time() + 10
    while not children and time.time() < deadline:
        with open(f"/proc/{process.pid}/task/{process.pid}/children", encoding="ascii") as file:
            children = file.read()
    child = int(children.split()[0])
    if how == "its reader goes away":
        process.stdout.close()
        assert process.wait(5) == 2
    elif how == "it is interrupted":
        process.send_signal(signal.SIGINT)
        assert process.wait(5) == -signal.SIGINT
    else:
        process.kill()
        process.wait(5)
    deadline = time.time() + 5
    while os.path.exists(f"/proc/{child}") and open(f"/proc/{child}/stat").read().split()[2] != "Z" and time.time() < deadline:
        time.sleep(0.01)
    assert not os.path.exists(f"/proc/{child}") or open(f"/proc/{child}/stat").read().split()[2] == "Z"
    for pipe in (process.stdin, process.stdout, process.stderr):
        pipe.close()


def test_time_and_memory_of_one_request_are_not_the_next_s():
    slow = {"id": 1, "check": {"encoding": "rope", "length": 1000000}, "timeout": 0.01}
    quick = {"id": 2, "check": {"encoding": "rope", "parameters": {"dim": 8}}}
    done, answers = serve([slow, quick, slow, quick])
    assert [(answer["exit_code"], answer.get("kind")) for answer in answers] == [(2, "time"), (0, None)] * 2
    assert np.array_equal(*[[row["worst"] for row in answer["report"]["checks"][0]["verdicts"] if row["word"] == "holds"]
                            for answer in answers[1::2]])


def test_relative_paths_start_from_the_manifest_s_folder(cache, tmp_path):
    np.save(tmp_path / "cos.npy", cache[0])
    np.save(tmp_path / "sin.npy", cache[1])
    entry = {"encoding": "rope", "parameters": {"dim": 32}, "file": ["cos.npy", "sin.npy"]}
    _, answers = serve([{"check": entry, "manifest": str(tmp_path / "m.json")}, {"check": entry}], cwd="/")
    assert [answer["exit_code"] for answer in answers] == [0, 2]
