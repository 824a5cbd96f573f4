package dev.tandem.server.programs;

import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * What Java makes of arguments and variables on their way to a program: bytes of the charset of the locale, where a question mark
 * stands for what the charset does not have.
 */
final class ProgramText {

    /** From this release on the default charset is UTF-8 whatever the locale is, and no longer the one for programs. */
    private static final int SEPARATE = 18;

    private ProgramText() {}

    /** Returns the charset in which programs get what they are given. */
    static Charset charset() {
        if (Runtime.version().feature() < SEPARATE) {
            return Charset.defaultCharset();
        }
        return Charset.forName(System.getProperty("sun.jnu.encoding", "UTF-8"));
    }

    /** Says what is wrong with a charset. @return null if nothing is */
    static @Nullable String problem(Charset charset) {
        return charset.equals(StandardCharsets.UTF_8)
                ? null
                : "programs get their arguments in the charset of the server's locale, which is " + charset
                        + " and has not all characters: start the server with LC_ALL=C.UTF-8, or another locale of"
                        + " UTF-8 that 'locale -a' lists";
    }

    /** Returns whether a text has half of a pair of surrogates, as JSON may, which no program could get. */
    static boolean isBroken(String text) {
        return !StandardCharsets.UTF_8.newEncoder().canEncode(text);
    }
}
