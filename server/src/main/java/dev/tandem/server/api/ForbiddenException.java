package dev.tandem.server.api;

import dev.tandem.server.words.Sentence;

/** Refuses a request that its caller is not permitted, with the reason and a remedy. */
public final class ForbiddenException extends RuntimeException {

    private static final long serialVersionUID = 1;

    private final transient Sentence detail;
    private final transient Sentence remedy;

    public ForbiddenException(Sentence detail, Sentence remedy) {
        super(detail.english(), null, false, false);
        this.detail = detail;
        this.remedy = remedy;
    }

    /** Returns the reason. */
    public Sentence detail() {
        return detail;
    }

    /** Returns what to do. */
    public Sentence remedy() {
        return remedy;
    }
}
