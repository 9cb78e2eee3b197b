"""Work that several threads do at once."""

import threading


def run_in_threads(count, function):
    errors = []

    def guarded(number):
        try:
            function(number)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=guarded, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
