package dev.tandem.server.cli;

import java.util.List;
import java.util.Optional;

/** A text that is shown on a terminal again and again. */
final class Screen {

    /** Goes to the upper left corner, and clears what is below. */
    static final String CLEAR = "\033[H\033[2J";

    private static final String MARK = "\033[7m";
    private static final String END_OF_MARK = "\033[27m";
    private static final int USUAL_LINES = 24;
    private static final int FEWEST_LINES = 4;

    private Screen() {}

    /** Returns how many lines the terminal has, if it says so. */
    static int lines() {
        return Optional.ofNullable(System.getenv("LINES"))
                .filter(lines -> lines.matches("[0-9]{1,4}"))
                .map(Integer::parseInt)
                .filter(lines -> lines >= FEWEST_LINES)
                .orElse(USUAL_LINES);
    }

    /** Returns the first lines of a text, and how many more there are. */
    static String fitted(String text, int most) {
        List<String> lines = text.lines().toList();
        if (lines.size() <= most) {
            return text;
        }
        return String.join("\n", lines.subList(0, most - 1)) + "\n... " + (lines.size() - most + 1) + " more lines\n";
    }

    /** Returns a text in which the characters are marked that were others, or none, at the same place before. */
    static String marked(String before, String now) {
        List<String> earlier = before.lines().toList();
        List<String> lines = now.lines().toList();
        StringBuilder marked = new StringBuilder();
        for (int line = 0; line < lines.size(); line++) {
            mark(line < earlier.size() ? earlier.get(line) : "", lines.get(line), marked);
            marked.append('\n');
        }
        return marked.toString();
    }

    private static void mark(String before, String now, StringBuilder into) {
        boolean on = false;
        for (int at = 0; at < now.length(); at++) {
            boolean changed = at >= before.length() ? now.charAt(at) != ' ' : before.charAt(at) != now.charAt(at);
            if (changed != on) {
                into.append(changed ? MARK : END_OF_MARK);
                on = changed;
            }
            into.append(now.charAt(at));
        }
        if (on) {
            into.append(END_OF_MARK);
        }
    }
}
