package dev.tandem.server.doctor;

import dev.tandem.server.findings.Finding;
import java.util.List;

/** Port: asks Redis and the brokers, and judges what they say. Takes up to some seconds. Thread-safe. */
@FunctionalInterface
public interface Doctor {

    /** Returns all findings. That Redis or a broker does not answer is one, too. */
    List<Finding> findings();
}
