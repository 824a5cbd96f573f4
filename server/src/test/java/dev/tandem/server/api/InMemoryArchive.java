package dev.tandem.server.api;

import dev.tandem.server.archive.Archive;
import dev.tandem.server.archive.ArchivedOutcome;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** An archive whose places are indexes of the list that was found. */
final class InMemoryArchive implements Archive {

    final List<ArchivedOutcome> outcomes = new ArrayList<>();
    Status status = new Status(null, 0, 0, 0, 0, 0, 0);

    @Nullable
    RuntimeException failure;

    boolean off;

    void reset() {
        outcomes.clear();
        status = new Status(null, 0, 0, 0, 0, 0, 0);
        failure = null;
        off = false;
    }

    @Override
    public boolean enabled() {
        return !off;
    }

    @Override
    public Found search(Search search, @Nullable String after, int max) {
        failIfTold();
        int from = after == null ? 0 : Integer.parseInt(after);
        List<ArchivedOutcome> found = outcomes.stream()
                .filter(each -> search.queues().contains(each.queue()))
                .filter(each -> search.kinds().contains(each.kind()))
                .filter(each -> search.id() == null || search.id().equals(each.id()))
                .filter(each -> search.key() == null || search.key().equals(each.key()))
                .filter(each -> search.type() == null || search.type().equals(each.type()))
                .filter(each -> !each.recordedAt().isBefore(search.from())
                        && each.recordedAt().isBefore(search.until()))
                .sorted(Comparator.comparing(ArchivedOutcome::recordedAt).reversed())
                .toList();
        int to = Math.min(found.size(), from + max);
        return new Found(found.subList(from, to), to < found.size() ? Integer.toString(to) : null);
    }

    @Override
    public List<ArchivedOutcome> ofTask(String queue, String idOrRef, int max) {
        failIfTold();
        return outcomes.stream()
                .filter(each -> each.queue().equals(queue))
                .filter(each -> idOrRef.equals(each.id()) || idOrRef.equals(each.ref()))
                .sorted(Comparator.comparing(ArchivedOutcome::recordedAt))
                .limit(max)
                .toList();
    }

    private void failIfTold() {
        if (failure != null) {
            throw failure;
        }
    }

    @Override
    public Status status() {
        return status;
    }
}
