package dev.tandem.server.api;

/** Refuses a request that its caller is not permitted, with the reason and a remedy. */
public final class ForbiddenException extends RuntimeException {

    private static final long serialVersionUID = 1;

    private final String remedy;

    public ForbiddenException(String detail, String remedy) {
        super(detail, null, false, false);
        this.remedy = remedy;
    }

    String remedy() {
        return remedy;
    }
}
