package dev.tandem.server.cli;

import java.io.PrintWriter;

/** Has tables printed with all columns, and cells of any length. */
final class WideWriter extends PrintWriter {

    WideWriter(PrintWriter out) {
        super(out, true);
    }
}
