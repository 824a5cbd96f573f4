package dev.tandem.task;

/** Makes text that comes from outside fit for a line of a log or of an error message. */
public final class LogText {

    private LogText() {}

    /**
     * Returns the text on one line, cut to {@code maxLength} characters. Control characters, separators of lines, invisible
     * format characters and lone surrogates become a question mark, so that a message cannot forge a line of the log.
     */
    public static String oneLine(String text, int maxLength) {
        String part = text.length() > maxLength ? text.substring(0, maxLength) + "…" : text;
        return part.codePoints()
                .map(point -> isPrintable(point) ? point : '?')
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }

    private static boolean isPrintable(int point) {
        return switch (Character.getType(point)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR -> false;
            default -> true;
        };
    }
}
