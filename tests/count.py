"""What a test has tried and what of it held: the last line that scripts/test reads."""


class Count:
    passed = failed = 0

    def check(self, good, what):
        self.passed += bool(good)
        self.failed += not good
        if not good:
            print(f"FAILED {what}")

    def close(self):
        """Prints the counts; the exit code."""
        print(f"{self.passed} passed, {self.failed} failed")
        return int(self.failed > 0)
