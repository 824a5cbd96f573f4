package dev.tandem.api;

/** How the trace of a run belongs to the trace in which its task was submitted. */
public enum TracingMode {
    /** Each run begins a trace of its own, with a link to the submission. Traces stay short, whatever the delays. */
    LINK,
    /** Each run is a child of its submission. The trace lasts through all delays and retries. */
    CHILD,
    /** Nothing is traced. */
    OFF
}
