package dev.tandem.server.api;

import dev.tandem.runtime.settings.QueueSettings;
import dev.tandem.server.inspect.TaskInfo;
import dev.tandem.server.why.Diagnoser;
import dev.tandem.server.why.Diagnosis;
import dev.tandem.server.why.Facts;
import dev.tandem.server.why.Wording;
import dev.tandem.server.words.Sentence;
import java.time.ZoneId;

/** Says why a key or a task does not move, for the API and the console. Scans nothing. Thread-safe. */
public final class WhyReader {

    /** An answer to why something does not move. @param view for the API, in English @param text the same text, in no language yet */
    public record Answer(WhyView view, Sentence text) {}

    private final ConfiguredQueues queues;
    private final TaskLookup lookup;
    private final WhyFacts facts;

    WhyReader(ConfiguredQueues queues, TaskLookup lookup, WhyFacts facts) {
        this.queues = queues;
        this.lookup = lookup;
        this.facts = facts;
    }

    /** Returns whether keys of a queue can wait. */
    public boolean isOrdered(String queue) {
        return queues.get(queue).ordered();
    }

    /**
     * Returns why a key does not move.
     *
     * @param zone of the times in the answer
     * @throws ApiException if there is no such queue, or it keeps no order
     */
    public Answer key(String queue, String key, ZoneId zone) {
        QueueSettings settings = queues.get(queue);
        if (!settings.ordered()) {
            throw ApiException.badRequest(Sentence.of("problem.no-order", queue), Sentence.of("remedy.no-order"));
        }
        return answer(queue, key, facts.ofKey(queue, settings, key), zone);
    }

    /**
     * Returns why a task does not move.
     *
     * @param id its id or its reference
     * @throws ApiException if there is no such queue, or several tasks have the id
     */
    public Answer task(String queue, String id, ZoneId zone) {
        QueueSettings settings = queues.get(queue);
        TaskInfo task = lookup.maybe(queue, id).orElse(null);
        return answer(queue, id, facts.ofTask(queue, settings, id, task), zone);
    }

    private Answer answer(String queue, String name, Facts facts, ZoneId zone) {
        Diagnosis diagnosis = Diagnoser.diagnose(facts);
        String turn = facts.key() == null ? name : facts.key();
        Wording words = new Wording(queue, turn, facts.byTask(), name, zone, facts.now());
        return new Answer(WhyView.of(queue, facts, diagnosis, words), diagnosis.sentence(words));
    }
}
