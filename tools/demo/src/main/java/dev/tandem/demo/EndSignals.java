package dev.tandem.demo;

import java.util.List;
import sun.misc.Signal;

/** Makes Ctrl-C and SIGTERM an ordinary end with an exit status of this program: Java's own is 130 or 143. */
final class EndSignals {

    private EndSignals() {}

    /**
     * From now on, a request to end has this status. Everything else is as before: the processes of this JVM are
     * stopped first.
     */
    static void endWith(int status) {
        for (String name : List.of("INT", "TERM")) {
            try {
                Signal.handle(new Signal(name), signal -> System.exit(status));
            } catch (IllegalArgumentException e) {
                // The JVM was told to leave signals alone, with -Xrs.
            }
        }
    }
}
