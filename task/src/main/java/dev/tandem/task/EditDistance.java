package dev.tandem.task;

/** Compares words, to guess which one was meant. */
public final class EditDistance {

    private EditDistance() {}

    /**
     * Returns how many letters must be changed, added or removed, or exchanged with their neighbours, to make one word of
     * the other (the optimal string alignment distance).
     */
    public static int between(String one, String other) {
        int[] beforeLast = new int[other.length() + 1];
        int[] last = new int[other.length() + 1];
        int[] row = new int[other.length() + 1];
        for (int j = 0; j <= other.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= one.length(); i++) {
            int[] free = beforeLast;
            beforeLast = last;
            last = row;
            row = free;
            row[0] = i;
            for (int j = 1; j <= other.length(); j++) {
                int changed = last[j - 1] + (one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1);
                row[j] = Math.min(changed, 1 + Math.min(last[j], row[j - 1]));
                if (isExchange(one, i, other, j)) {
                    row[j] = Math.min(row[j], 1 + beforeLast[j - 2]);
                }
            }
        }
        return row[other.length()];
    }

    /** Returns whether the last two of the first letters of both words are the same, the other way round. */
    private static boolean isExchange(String one, int length, String other, int otherLength) {
        return length > 1
                && otherLength > 1
                && one.charAt(length - 1) == other.charAt(otherLength - 2)
                && one.charAt(length - 2) == other.charAt(otherLength - 1);
    }
}
