"""Locks on open files that are released after a crash, on any system."""

import contextlib
import os
import sys

_BEYOND = 2**40
"""The byte that is locked on Windows: far beyond the content, so that other processes can read it."""

if sys.platform == "win32":
    import msvcrt

    def lock(descriptor: int) -> bool:
        """Take the lock of an open file for as long as it is open; False if another process has it."""
        here = os.lseek(descriptor, 0, os.SEEK_CUR)
        os.lseek(descriptor, _BEYOND, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        finally:
            os.lseek(descriptor, here, os.SEEK_SET)
        return True

    def unlock(descriptor: int) -> None:
        """Release the lock."""
        here = os.lseek(descriptor, 0, os.SEEK_CUR)
        os.lseek(descriptor, _BEYOND, os.SEEK_SET)
        with contextlib.suppress(OSError):
            msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)
        os.lseek(descriptor, here, os.SEEK_SET)

else:
    import fcntl

    def lock(descriptor: int) -> bool:
        """Take the lock of an open file for as long as it is open; False if another process has it."""
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:
            return True  # a file system without locks: an unlocked record is better than none
        return True

    def unlock(descriptor: int) -> None:
        """Release the lock."""
        with contextlib.suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_UN)
