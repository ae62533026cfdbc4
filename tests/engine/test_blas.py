"""One BLAS thread while anybody works."""

from threading import Barrier, Thread

import numpy as np
from threadpoolctl import threadpool_info

from gems_engine.blas import one_blas_thread


def threads():
    np.eye(2) @ np.eye(2)
    return {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}


def test_one_thread_inside_and_what_it_was_outside():
    before = threads()
    with one_blas_thread():
        with one_blas_thread():
            assert threads() == {1}
        assert threads() == {1}
    assert threads() == before


def test_the_first_to_leave_does_not_open_it_for_the_others():
    both_in, one_out, seen = Barrier(2), Barrier(2), []

    def first():
        with one_blas_thread():
            both_in.wait()
        one_out.wait()

    def second():
        with one_blas_thread():
            both_in.wait()
            one_out.wait()
            seen.append(threads())

    workers = [Thread(target=each) for each in (first, second)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert seen == [{1}]
