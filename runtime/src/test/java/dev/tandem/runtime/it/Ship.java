package dev.tandem.runtime.it;

/** The payload of the tests. */
record Ship(String order, int items) {}
