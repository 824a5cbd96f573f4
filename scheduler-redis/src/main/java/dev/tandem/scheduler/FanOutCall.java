package dev.tandem.scheduler;

import static dev.tandem.task.Utf8.bytes;

import dev.tandem.task.fanout.FanOutAnswer;
import dev.tandem.task.fanout.FanOutAnswer.Code;
import dev.tandem.task.fanout.FanOutAnswer.Stop;
import dev.tandem.task.fanout.FanOutCaller;
import dev.tandem.task.fanout.FanOutPlan;
import dev.tandem.task.fanout.FanOutPlan.Rule;
import dev.tandem.task.fanout.FanOutRecord;
import dev.tandem.task.fanout.FanOutReply;
import dev.tandem.task.fanout.FanOutRequest;
import dev.tandem.task.fanout.FanOutRequest.End;
import dev.tandem.task.fanout.FanOutRequest.Tell;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;

/** A call of the script of fan-outs: requests as its arguments, its reply as answers. Ends of one fan-out share an argument. */
final class FanOutCall {

    private final FanOutCaller caller;
    /** Requests of one argument: one, or ends of subtasks of one fan-out that follow one another. */
    private final List<List<FanOutRequest>> groups = new ArrayList<>();

    FanOutCall(FanOutCaller caller, List<FanOutRequest> requests) {
        this.caller = caller;
        for (FanOutRequest each : requests) {
            List<FanOutRequest> last = groups.isEmpty() ? List.of() : groups.get(groups.size() - 1);
            boolean joins = each instanceof Tell
                    && !last.isEmpty()
                    && last.get(0) instanceof Tell
                    && last.get(0).id().equals(each.id());
            if (joins) {
                last.add(each);
            } else {
                groups.add(new ArrayList<>(List.of(each)));
            }
        }
    }

    byte[][] keys(RedisKeys keys, int bucket) {
        Stream<byte[]> ofRequests = groups.stream()
                .flatMap(group -> Stream.of(keys.fanOut(group.get(0).id())));
        return Stream.of(
                        Stream.of(keys.fanOuts(bucket)),
                        Stream.of(keys.fanOutCaller(bucket, caller.name())),
                        ofRequests)
                .flatMap(each -> each)
                .toArray(byte[][]::new);
    }

    byte[][] arguments() {
        Stream<byte[]> numbers = Stream.of(bytes(Long.toString(caller.number())), bytes(Long.toString(caller.known())));
        return Stream.concat(numbers, groups.stream().map(FanOutCall::encode)).toArray(byte[][]::new);
    }

    // ---- arguments

    private static byte[] encode(List<FanOutRequest> group) {
        FanOutRequest request = group.get(0);
        String id = request.id();
        if (request instanceof Tell) {
            MessagePackWriter out = begin(2 + 4 * group.size(), ScriptCodes.FAN_OUT_TELL, id);
            for (FanOutRequest each : group) {
                Tell tell = (Tell) each;
                out.number(tell.number())
                        .letter(letter(tell.end()))
                        .text(tell.error() == null ? "" : tell.error())
                        .text(tell.inner() == null ? "" : tell.inner());
            }
            return out.toByteArray();
        } else if (request instanceof FanOutRequest.Open open) {
            return open(open);
        } else if (request instanceof FanOutRequest.Note note) {
            return begin(5, ScriptCodes.FAN_OUT_NOTE, id)
                    .text(token(note.token()))
                    .number(note.cursor())
                    .number(note.reads() ? 1 : 0)
                    .toByteArray();
        } else if (request instanceof FanOutRequest.Seal seal) {
            return begin(4, ScriptCodes.FAN_OUT_SEAL, id)
                    .text(token(seal.token()))
                    .number(seal.total())
                    .toByteArray();
        } else if (request instanceof FanOutRequest.Abandon abandon) {
            return begin(6, ScriptCodes.FAN_OUT_ABANDON, id)
                    .text(token(abandon.token()))
                    .text(abandon.why())
                    .number(abandon.cancels() ? 1 : 0)
                    .letter(letter(abandon.end()))
                    .toByteArray();
        } else if (request instanceof FanOutRequest.Cancel cancel) {
            return begin(3, ScriptCodes.FAN_OUT_CANCEL, id).text(cancel.why()).toByteArray();
        } else if (request instanceof FanOutRequest.GiveUp end) {
            return begin(3, ScriptCodes.FAN_OUT_END, id).text(end.why()).toByteArray();
        }
        return other(request, id).toByteArray();
    }

    private static MessagePackWriter other(FanOutRequest request, String id) {
        if (request instanceof FanOutRequest.Ask ask) {
            return begin(3, ScriptCodes.FAN_OUT_ASK, id).number(ask.number());
        } else if (request instanceof FanOutRequest.Nest nest) {
            return begin(5, ScriptCodes.FAN_OUT_NEST, id)
                    .number(nest.number())
                    .text(nest.inner())
                    .number(nest.retried() ? 1 : 0);
        } else if (request instanceof FanOutRequest.Begin begin) {
            return begin(4, ScriptCodes.FAN_OUT_BEGIN, id)
                    .text(begin.identity())
                    .text(begin.name());
        } else if (request instanceof FanOutRequest.Claim claim) {
            return begin(4, ScriptCodes.FAN_OUT_CLAIM, id)
                    .text(claim.claimant())
                    .number(claim.millis());
        } else if (request instanceof FanOutRequest.Within within) {
            return begin(3, ScriptCodes.FAN_OUT_WITHIN, id).text(within.from());
        } else if (request instanceof FanOutRequest.Postpone postpone) {
            return begin(3, ScriptCodes.FAN_OUT_POSTPONE, id).number(postpone.millis());
        }
        return begin(
                2, request instanceof FanOutRequest.View ? ScriptCodes.FAN_OUT_VIEW : ScriptCodes.FAN_OUT_FINISH, id);
    }

    private static byte[] open(FanOutRequest.Open open) {
        FanOutPlan plan = open.plan();
        Map<String, String> fields = new LinkedHashMap<>();
        fields.put("queue", plan.queue());
        fields.put("master", plan.master());
        fields.put("master-id", plan.masterId());
        fields.put("type", plan.type());
        fields.put("parent", plan.parent());
        fields.put("awaits-master", plan.parent().isEmpty() ? "0" : "1");
        fields.put("depth", Integer.toString(plan.depth()));
        fields.put("rule", String.valueOf(plan.rule().name().charAt(0)));
        fields.put("may-fail", Double.toString(plan.mayFail()));
        fields.put("final-queue", plan.finalQueue());
        fields.put("keep", Long.toString(plan.keepMillis()));
        MessagePackWriter out = begin(7 + 2 * fields.size(), ScriptCodes.FAN_OUT_OPEN, open.id())
                .text(token(open.token()))
                .number(plan.maxOpen())
                .number(master(open.masterHash()));
        fields.forEach((name, value) -> out.text(name).text(value));
        return out.text("final-task").bytes(plan.finalTask()).toByteArray();
    }

    /** Returns a number for a master: one of 48 bits, which a sorted set has exactly. @param masterHash as for an {@code Open} */
    static long master(String masterHash) {
        return UUID.nameUUIDFromBytes(bytes(masterHash)).getMostSignificantBits() >>> 16;
    }

    private static MessagePackWriter begin(int items, char what, String id) {
        return new MessagePackWriter().list(items).letter(what).text(id);
    }

    /** Returns a token as a text that is ordered as it is. */
    private static String token(long token) {
        return token < 0 ? "" : String.format(Locale.ROOT, "%020d", token);
    }

    private static char letter(End end) {
        return switch (end) {
            case SUCCEEDED -> ScriptCodes.FAN_OUT_SUCCEEDED;
            case FAILED -> ScriptCodes.FAN_OUT_FAILED;
            case CANCELLED -> ScriptCodes.FAN_OUT_CANCELLED;
        };
    }

    // ---- the reply

    FanOutReply reply(List<Object> reply) {
        ReplyReader in = new ReplyReader(reply);
        return in.count() == ScriptCodes.REPLY_GAP
                ? new FanOutReply.Gap(in.number())
                : new FanOutReply.Applied(answers(in));
    }

    private List<FanOutAnswer> answers(ReplyReader in) {
        List<FanOutAnswer> answers = new ArrayList<>();
        for (List<FanOutRequest> group : groups) {
            FanOutAnswer answer = answer(group.get(0).id(), in.list());
            if (group.get(0) instanceof Tell) {
                answers.addAll(answersToEnds(group, answer));
            } else {
                answers.add(answer);
            }
        }
        return answers;
    }

    /** Returns the answers to ends that were told together. One of them shows that they were the last. */
    private static List<FanOutAnswer> answersToEnds(List<FanOutRequest> ends, FanOutAnswer all) {
        Map<String, String> inner = new HashMap<>();
        for (String each : all.other().split(",")) {
            int equals = each.indexOf('=');
            inner.put(each.substring(0, Math.max(0, equals)), each.substring(equals + 1));
        }
        FanOutAnswer[] answers = new FanOutAnswer[ends.size()];
        boolean isLast = true;
        for (int i = ends.size() - 1; i >= 0; i--) {
            Tell tell = (Tell) ends.get(i);
            String its = tell.inner() != null ? null : inner.get(Long.toString(tell.number()));
            Code code = all.code() == Code.COMPLETE && !isLast ? Code.OK : all.code();
            answers[i] = its == null ? with(code, "", all) : with(Code.NESTED, its, all);
            isLast &= its != null;
        }
        return List.of(answers);
    }

    private static FanOutAnswer with(Code code, String other, FanOutAnswer all) {
        return new FanOutAnswer(code, all.stop(), all.cancelled(), all.cursor(), all.total(), all.ended(), other, null);
    }

    private static FanOutAnswer answer(String id, ReplyReader in) {
        Code code = Code.values()[in.count()];
        Stop stop = Stop.values()[in.count()];
        long cursor = in.number();
        long total = in.number();
        byte[] bits = in.bytes();
        String other = in.text();
        ReplyReader rest = in.list();
        FanOutRecord record = rest.hasMore() ? record(id, rest) : null;
        return new FanOutAnswer(code, stop, in.count() == 1, cursor, total, bits, other, record);
    }

    private static FanOutRecord record(String id, ReplyReader in) {
        long ended = in.number();
        long failed = in.number();
        long cancelled = in.number();
        ReplyReader fields = in.list();
        Map<String, byte[]> all = new LinkedHashMap<>();
        while (fields.hasMore()) {
            all.put(fields.text(), fields.bytes());
        }
        return new Fields(all).record(id, ended, failed, cancelled);
    }

    /** The fields of a fan-out's hash. */
    private record Fields(Map<String, byte[]> all) {

        String text(String name) {
            byte[] value = all.get(name);
            return value == null ? "" : new String(value, StandardCharsets.UTF_8);
        }

        long number(String name) {
            String text = text(name);
            return text.isEmpty() ? 0 : Long.parseLong(text);
        }

        FanOutRecord record(String id, long ended, long failed, long cancelled) {
            return new FanOutRecord(
                    id,
                    plan(),
                    FanOutRecord.Phase.values()[(int) number("phase")],
                    Stop.values()[(int) number("stop")],
                    text("why"),
                    number("cursor"),
                    number("total"),
                    ended,
                    failed,
                    cancelled,
                    number("since"),
                    number("ended-at"),
                    number("finished") == 1,
                    (int) number("tries"),
                    text("begun-name"),
                    text("errors").lines().map(Fields::failure).toList(),
                    number("token"),
                    new FanOutRecord.Master(number("awaits-master") == 1, end(text("master-end")), text("master-why")));
        }

        private static End end(String letter) {
            return letter.isEmpty()
                    ? End.SUCCEEDED
                    : Stream.of(End.values())
                            .filter(each -> letter(each) == letter.charAt(0))
                            .findFirst()
                            .orElseThrow(() -> ScriptCodes.unknown("end of a master", letter));
        }

        private FanOutPlan plan() {
            byte[] finalTask = all.get("final-task");
            return new FanOutPlan(
                    text("queue"),
                    text("master"),
                    text("master-id"),
                    text("type"),
                    text("parent"),
                    (int) number("depth"),
                    rule(text("rule")),
                    Double.parseDouble(text("may-fail")),
                    text("final-queue"),
                    finalTask == null ? new byte[0] : finalTask,
                    number("keep"),
                    0);
        }

        private static FanOutRecord.Failure failure(String line) {
            int space = line.indexOf(' ');
            return new FanOutRecord.Failure(Long.parseLong(line.substring(0, space)), line.substring(space + 1));
        }

        private static Rule rule(String letter) {
            return Stream.of(Rule.values())
                    .filter(each -> each.name().startsWith(letter))
                    .findFirst()
                    .orElseThrow(() -> ScriptCodes.unknown("rule of a fan-out", letter));
        }
    }
}
