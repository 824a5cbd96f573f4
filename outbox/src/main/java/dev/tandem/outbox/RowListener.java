package dev.tandem.outbox;

/** Tells a relay of new rows, so that it need not ask often. */
interface RowListener extends AutoCloseable {

    /** Never tells anything. */
    RowListener NONE = new RowListener() {
        @Override
        public boolean isListening() {
            return false;
        }

        @Override
        public void close() {}
    };

    /** Returns whether new rows are told of at present. */
    boolean isListening();

    @Override
    void close();
}
