package dev.tandem.server.api;

import dev.tandem.runtime.settings.QueueSettings;
import dev.tandem.server.inspect.Administration;
import dev.tandem.server.inspect.Administration.Change;
import dev.tandem.server.inspect.FanOutAdministration;
import dev.tandem.server.inspect.TaskInfo;
import dev.tandem.server.masking.PayloadMasks;
import dev.tandem.server.words.Sentence;
import dev.tandem.task.FannedOut;
import dev.tandem.task.Task;
import dev.tandem.task.TaskHeaders;
import dev.tandem.task.TaskPlace;
import dev.tandem.task.TaskState;
import dev.tandem.task.store.FanOutIds;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.Locale;
import java.util.function.Consumer;
import tools.jackson.databind.json.JsonMapper;

/**
 * Shows whole payloads to those who may edit them, and replaces them. A payload of which nobody is shown a part cannot be edited:
 * the mask would be saved in its place. Thread-safe.
 */
public final class PayloadEditor {

    private static final JsonMapper JSON = JsonMapper.shared();

    /** The digits of a hash that tell one payload of a task from another. */
    private static final int DIGITS = 32;

    private final ConfiguredQueues queues;
    private final Administration administration;
    private final TaskLookup lookup;
    private final PayloadMasks masks;
    private final FanOutAdministration fanOuts;
    private final int maxPayload;

    PayloadEditor(
            ConfiguredQueues queues,
            Administration administration,
            TaskLookup lookup,
            PayloadMasks masks,
            FanOutAdministration fanOuts,
            int maxPayload) {
        this.queues = queues;
        this.administration = administration;
        this.lookup = lookup;
        this.masks = masks;
        this.fanOuts = fanOuts;
        this.maxPayload = maxPayload;
    }

    /**
     * A payload that may be edited.
     *
     * @param name the id of its task, as people see it
     * @param ref the reference of its task
     * @param json whether its task says that it is JSON
     */
    public record Editable(String name, String ref, byte[] payload, boolean json) {

        /** Returns what tells it from other payloads of its task. */
        public String etag() {
            return '"' + hash(payload) + '"';
        }
    }

    /** Whether tasks in a state of the API may be edited, for all that the state tells. */
    public static boolean isEditable(String state) {
        return switch (state) {
            case "scheduled", "retry", "parked", "dead" -> true;
            default -> false;
        };
    }

    /**
     * Returns the payload of a task.
     *
     * @param id its id or its reference
     * @throws ApiException if there is no such task, or it cannot be edited
     */
    public Editable read(String queue, String id) {
        QueueSettings settings = queues.get(queue);
        TaskInfo info = find(queue, id);
        Task task = editable(queue, id, info);
        return new Editable(TaskViews.id(queue, settings, info), info.ref().toString(), task.payload(), isJson(task));
    }

    /** @throws ApiException if there is no such queue */
    void require(String queue) {
        queues.get(queue);
    }

    /**
     * Replaces the payload of a task.
     *
     * @param etag of the payload that the caller has seen
     * @param begins hears what is about to be done, for the audit log: nobody may hear later whether it was
     * @return what was done, for the audit log
     * @throws ApiException if it has another payload by now, or cannot be edited
     */
    String edit(String queue, String id, String etag, byte[] payload, Consumer<String> begins) {
        queues.get(queue);
        TaskInfo info = find(queue, id);
        Task task = editable(queue, id, info);
        if (!etag.equals('"' + hash(task.payload()) + '"')) {
            throw ApiException.of(
                    ProblemType.PAYLOAD_CHANGED,
                    Sentence.of("problem.payload-changed", id, etag),
                    Sentence.of("remedy.payload-changed"));
        }
        check(task, payload);
        if (lookup.isHeld(queue, info)) {
            throw running(id); // It would run with the payload that its executor has.
        }
        String edit = "payload of " + payload.length + " bytes, hash " + hash(payload) + ", in place of "
                + task.payload().length + " bytes, hash " + hash(task.payload());
        begins.accept(edit);
        Change change = administration.edit(queue, info.ref(), task.payload(), payload);
        switch (change) {
            case DONE -> {
                return edit;
            }
            case RUNNING -> throw running(id);
            default ->
                throw ProblemType.CONFLICT.refusal(
                        Sentence.of("problem.task-changed", id), Sentence.of("remedy.look-and-try"));
        }
    }

    /** Returns the hash of a payload by which people and programs tell it from others. */
    static String hash(byte[] payload) {
        MessageDigest digest = IdempotencyKeys.sha256();
        return HexFormat.of().formatHex(digest.digest(payload)).substring(0, DIGITS);
    }

    private TaskInfo find(String queue, String id) {
        return lookup.maybe(queue, id)
                .orElseThrow(() -> ProblemType.UNKNOWN_TASK.refusal(
                        Sentence.of("problem.no-task", id), Sentence.of("remedy.payload-in-broker")));
    }

    /** Returns the task if its payload may be edited, as far as the store shows. */
    private Task editable(String queue, String id, TaskInfo info) {
        TaskState state = info.state();
        if (state.isFinal() && state != TaskState.DEAD) {
            throw TaskLookup.ended(id, info);
        } else if (info.isInBroker() || info.envelope() == null) {
            throw ProblemType.TASK_IN_OTHER_STATE.refusal(
                    Sentence.of("problem.payload-in-broker", id), Sentence.of("remedy.payload-of-message"));
        } else if (!isEditable(Views.lower(state))) {
            throw running(id);
        }
        Task task = info.envelope().task();
        if (task.headers().containsKey(FannedOut.HEADER) || hasFannedOut(queue, info, task)) {
            throw ProblemType.TASK_IN_OTHER_STATE.refusal(
                    Sentence.of("problem.payload-fanned-out", id), Sentence.of("remedy.payload-fanned-out"));
        } else if (masks.hides(queue, task.type(), task.payload())) {
            throw ProblemType.PAYLOAD_MASKED.refusal(
                    Sentence.of("problem.payload-masked", id), Sentence.of("remedy.payload-masked"));
        }
        return task;
    }

    /**
     * Returns whether the store has a fan-out of a task. Only an attempt that has ended notes its fan-outs in the task: one whose
     * executor was killed does not.
     */
    private boolean hasFannedOut(String queue, TaskInfo info, Task task) {
        if (info.state() == TaskState.SCHEDULED && info.attempts() == 0) {
            return false;
        }
        TaskPlace at = info.ref().in(queue);
        String masterHash = FanOutIds.of(at.partition(), at.position(), task, "");
        // An executor of an earlier version does not note masters. Its fan-out without a name is found all the same.
        return fanOuts.hasFanOutOf(masterHash) || fanOuts.find(masterHash).isPresent();
    }

    private void check(Task task, byte[] payload) {
        if (payload.length > maxPayload) {
            throw ProblemType.TOO_LONG.refusal(
                    Sentence.of("problem.payload-too-long", maxPayload), Sentence.of("remedy.too-long"));
        }
        Sentence mistake = isJson(task) ? OneJsonValue.mistake(() -> JSON.createParser(payload)) : null;
        if (mistake != null) {
            throw ProblemType.INVALID_BODY.refusal(
                    Sentence.of("problem.payload-no-json", mistake), Sentence.of("remedy.correct"));
        }
    }

    private static boolean isJson(Task task) {
        String type = task.headers().getOrDefault(TaskHeaders.CONTENT_TYPE, "").toLowerCase(Locale.ROOT);
        return type.equals("application/json") || type.startsWith("application/json;");
    }

    private static ApiException running(String id) {
        return ProblemType.TASK_RUNNING.refusal(
                Sentence.of("problem.running-or-soon", id), Sentence.of("remedy.running-or-soon"));
    }
}
