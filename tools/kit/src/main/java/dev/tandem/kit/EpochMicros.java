package dev.tandem.kit;

import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** Wall-clock time in microseconds since the epoch, which all processes of one machine share. */
public final class EpochMicros {

    private EpochMicros() {}

    public static long now() {
        return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
    }
}
