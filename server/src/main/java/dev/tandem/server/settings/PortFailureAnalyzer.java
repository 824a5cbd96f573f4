package dev.tandem.server.settings;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.web.server.PortInUseException;

/** Reports that the port of the API is taken, with the setting that names another. */
final class PortFailureAnalyzer extends AbstractFailureAnalyzer<PortInUseException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, PortInUseException cause) {
        return new FailureAnalysis(
                "  server.port is '" + cause.getPort()
                        + "': another program listens on this port already, perhaps another" + " Tandem server",
                "End that program, or choose another port, for instance --server.port=8081; 0 takes a free one."
                        + " (management.server.port is the port of health, if it is set.)",
                cause);
    }
}
