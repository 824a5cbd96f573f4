package dev.tandem.server.console;

import dev.tandem.runtime.schedules.CronExpression;
import dev.tandem.runtime.schedules.Timing;
import dev.tandem.runtime.schedules.TimingWords;
import dev.tandem.server.access.AuditEntry;
import dev.tandem.server.access.Caller;
import dev.tandem.server.access.Permission;
import dev.tandem.server.access.Rights;
import dev.tandem.server.api.KeyTimeline;
import dev.tandem.server.api.PayloadEditor;
import dev.tandem.server.api.ProblemType;
import dev.tandem.server.api.ScheduleViews;
import dev.tandem.server.api.Views;
import dev.tandem.server.words.Language;
import dev.tandem.server.words.QuoteKind;
import dev.tandem.server.words.Sentence;
import dev.tandem.server.words.Wordbook;
import dev.tandem.task.statistics.DurationHistogram;
import dev.tandem.task.statistics.RunCount;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.text.NumberFormat;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * The context of all templates: the texts, the formats, and who looks. Immutable.
 *
 * @param path the path of the page, for the navigation
 * @param csrf what a change has to send with it; empty if this caller needs nothing
 */
record View(Language language, Caller caller, Rights rights, String path, String csrf, Assets assets) {

    /** A page of the navigation. @param text the key of its name @param needs what its route needs; null for nothing */
    record Entry(String path, String text, @Nullable Permission needs, Of of) {

        /** Whether a page shows something of all queues, or only of those that the caller may see. */
        enum Of {
            ALL,
            OWN
        }

        Entry(String path, String text, @Nullable Permission needs) {
            this(path, text, needs, Of.ALL);
        }

        boolean isFor(Caller caller) {
            return needs == null || (of == Of.OWN ? caller.role().permits(needs) : caller.may(needs, null));
        }
    }

    /** The titles of problems in Chinese, by their types, as JSON. */
    private static final String CHINESE_PROBLEMS = JsonMapper.shared()
            .writeValueAsString(Arrays.stream(ProblemType.values())
                    .filter(type -> PageTexts.in(Language.ZH).has("problem-type." + type.word()))
                    .collect(Collectors.toMap(
                            ProblemType::word,
                            type -> PageTexts.in(Language.ZH).get("problem-type." + type.word()),
                            (one, other) -> one,
                            TreeMap::new)));

    private static final Pattern COUNTED = Pattern.compile("(\\d+) (.+)");

    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss 'UTC'", Locale.ROOT)
            .withZone(ZoneOffset.UTC);

    private static final DateTimeFormatter ZONED = DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss xxx", Locale.ROOT);

    /** The pages of the navigation that are always in sight. There is room for these in one line, in each language. */
    private static final List<Entry> IN_SIGHT = List.of(
            new Entry("/", "nav.overview", null),
            new Entry("/running", "nav.running", Permission.VIEW, Entry.Of.OWN),
            new Entry("/dead", "nav.dead", Permission.VIEW, Entry.Of.OWN),
            new Entry("/executors", "nav.executors", Permission.VIEW),
            new Entry("/schedules", "nav.schedules", Permission.VIEW),
            new Entry("/fan-outs", "nav.fan-outs", Permission.VIEW));

    /** The rarer pages, which are in a menu. */
    private static final List<Entry> IN_MENU = List.of(
            new Entry("/limits", "nav.limits", Permission.VIEW),
            new Entry("/operations", "nav.operations", Permission.VIEW),
            new Entry("/archive", "nav.archive", Permission.VIEW),
            new Entry("/audit", "nav.audit", Permission.ADMINISTER));

    /** Returns the pages that the caller may see and that are always in sight. */
    List<Entry> entriesInSight() {
        return IN_SIGHT.stream().filter(entry -> entry.isFor(caller)).toList();
    }

    /** Returns the pages that the caller may see and that are in the menu. */
    List<Entry> entriesInMenu() {
        return IN_MENU.stream().filter(entry -> entry.isFor(caller)).toList();
    }

    /** Whether the navigation has a page for the caller. */
    boolean maySee(String page) {
        return Stream.of(entriesInSight(), entriesInMenu())
                .flatMap(List::stream)
                .anyMatch(entry -> entry.path().equals(page));
    }

    boolean isCurrent(Entry entry) {
        return entry.path().equals("/")
                ? path.equals("/") || path.startsWith("/queues")
                : path.startsWith(entry.path());
    }

    /** Returns a text in the language of the page. */
    String t(String key, Object... values) {
        return PageTexts.in(language).get(key, values);
    }

    /** Returns what the server says, in the language of the page. */
    String say(Sentence sentence) {
        return Wordbook.in(language).say(sentence);
    }

    /** Returns what another program said of a state, in the language of the page if it is known there. */
    String said(String english) {
        return Wordbook.in(language).said(QuoteKind.STATE, english);
    }

    /** Returns why something failed, in the language of the page if it is known there; null for null. */
    @Nullable
    String error(@Nullable String english) {
        return english == null ? null : Wordbook.in(language).said(QuoteKind.ERROR, english);
    }

    /** Returns the last error of a task in a list, or for what it waits, or that it was a duplicate; "–" if there is none. */
    String remark(Views.Task task) {
        if (task.error() != null) {
            return String.valueOf(error(task.error()));
        }
        if (task.duplicateOf() != null) {
            return t("tasks.duplicate-of", task.duplicateOf());
        }
        return task.waitsFor() == null ? "–" : t("tasks.waits-for", say(task.waitsFor()));
    }

    /** Returns what is wrong with a request, with a full stop, in the language of the page if it is known there. */
    String problem(Sentence sentence) {
        return say(sentence) + (problemLanguage(sentence) == null ? t("full-stop") : ".");
    }

    /** Returns the language of that sentence, if it is not that of the page. */
    @Nullable
    String problemLanguage(Sentence sentence) {
        Language its = Wordbook.in(language).languageOf(sentence);
        return its == language ? null : its.code();
    }

    /** Returns what the audit log says, in the language of the page if it is known there. */
    String audited(String english) {
        return Wordbook.in(language).said(QuoteKind.AUDIT, english);
    }

    /** Returns the translation of a word of the API; the word itself if there is none. It may follow a number. */
    String word(String prefix, String word) {
        Matcher counted = COUNTED.matcher(word);
        String key = prefix + "." + (counted.matches() ? counted.group(2) : word).replace(' ', '-');
        return PageTexts.in(language).has(key) ? t(key, counted.matches() ? counted.group(1) : "") : word;
    }

    /** Returns what kind of problem that is, in the language of the page; null in English, in which the problem says it. */
    @Nullable
    String problemTitle(String type) {
        String key = "problem-type." + type;
        return PageTexts.in(language).has(key) ? t(key) : null;
    }

    /** Returns the same of all problems as JSON, for the script; empty in English. */
    String problemTitles() {
        return switch (language) {
            case EN -> "";
            case ZH -> CHINESE_PROBLEMS;
        };
    }

    /** Returns a value by which an operation takes tasks. @param name the name that the API has for it */
    String taken(String name, String value) {
        return switch (name) {
            case "state" ->
                Arrays.stream(value.split(", "))
                        .map(each -> word("state", each))
                        .collect(Collectors.joining(", "));
            case "halting" -> word("takes", value);
            default -> value;
        };
    }

    /** Returns who asked for what the audit log has. */
    String who(AuditEntry entry) {
        return entry.role().isEmpty() ? word("who", entry.who()) : entry.who();
    }

    /** Returns when a schedule fires, in words. */
    String when(ScheduleViews.View schedule) {
        String english = schedule.when() == null ? "–" : schedule.when();
        return switch (language) {
            case EN -> english;
            case ZH ->
                schedule.cron() != null && schedule.zone() != null
                        ? TimingWords.CHINESE.of(
                                new Timing.Cron(CronExpression.parse(schedule.cron()), ZoneId.of(schedule.zone())))
                        : schedule.every() != null
                                ? TimingWords.CHINESE.of(new Timing.Every(Duration.parse(schedule.every())))
                                : english;
        };
    }

    /** Returns how long a period is that the settings have, such as {@code PT10S}. */
    String period(String period) {
        return millis(Duration.parse(period).toMillis());
    }

    /** Returns a number in groups of three; a dash for one that is not known. */
    String number(@Nullable Number value) {
        return value == null
                ? "–"
                : NumberFormat.getIntegerInstance(language.locale()).format(value);
    }

    /** Returns a size in the unit that suits it; a dash for one that is not known. */
    String bytes(@Nullable Long bytes) {
        if (bytes == null) {
            return number(null);
        }
        double size = bytes;
        int unit = 0;
        while (unit < 3 && size >= 1_000) {
            size /= 1_024;
            unit++;
        }
        return switch (unit) {
            case 0 -> t("unit.b", number(bytes));
            case 1 -> t("unit.kib", decimal(size));
            case 2 -> t("unit.mib", decimal(size));
            default -> t("unit.gib", decimal(size));
        };
    }

    /** Returns a number with one digit behind the point, if it is small. */
    String decimal(double value) {
        NumberFormat format = NumberFormat.getNumberInstance(language.locale());
        format.setMaximumFractionDigits(value < 100 ? 1 : 0);
        return format.format(value);
    }

    /** Returns the time that was so long ago; null for a time that is not known. */
    @Nullable
    Instant ago(@Nullable Long millis) {
        return millis == null ? null : Instant.now().minusMillis(millis);
    }

    /** Returns a time to the second. */
    String time(Instant time) {
        return TIME.format(time);
    }

    /** Returns a time to the second, in a zone. @param zone the name of the zone; null for UTC */
    String time(Instant at, @Nullable String zone) {
        return zone == null ? time(at) : ZONED.withZone(ZoneId.of(zone)).format(at);
    }

    /** Returns a name as a part of a path. */
    String part(String name) {
        return Links.part(name);
    }

    /** Returns how often a task has started, of how often it may. */
    String attempts(Views.Task task) {
        return task.maxAttempts() == null ? number(task.attempts()) : task.attempts() + "/" + task.maxAttempts();
    }

    /** Returns how long something took. */
    String millis(long millis) {
        return millis < 10_000 ? t("unit.ms", number(millis)) : t("unit.s", number(millis / 1_000));
    }

    /** Returns percentiles of times in one line. */
    String times(KeyTimeline.Times times) {
        return t(
                "timeline.times",
                millis(times.p50Millis()),
                millis(times.p95Millis()),
                millis(times.maxMillis()),
                number(times.count()));
    }

    /** Returns the queue of which the page is one, for a search in it; null if it is of none. */
    @Nullable
    String queue() {
        String[] parts = path.split("/");
        return parts.length > 2 && parts[1].equals("queues")
                ? URLDecoder.decode(parts[2].split(";", 2)[0].replace("+", "%2B"), StandardCharsets.UTF_8)
                : null;
    }

    /** Returns the class of the style that goes with the state of a task. */
    String mood(String state) {
        return switch (state) {
            case "active", "succeeded" -> "good";
            case "retry", "parked", "failed", "snoozed" -> "held";
            case "dead" -> "bad";
            default -> "plain";
        };
    }

    /** Returns the paths of the modules that the script of the pages loads. */
    List<String> modules() {
        return Assets.loadedModules().stream().map(assets::path).toList();
    }

    /** Returns the path of an asset, which changes with its content. */
    String asset(String name) {
        return assets.path(name);
    }

    /** Whether the caller may see a queue. @param or another permission that is enough; null for none */
    boolean maySee(String queue, @Nullable Permission or) {
        return caller.may(Permission.VIEW, queue) || (or != null && caller.may(or, queue));
    }

    boolean maySubmit(String queue) {
        return caller.may(Permission.SUBMIT, queue);
    }

    /** Whether the caller may give a task another payload, as far as the task's state tells. */
    boolean mayEdit(Views.Task task) {
        return rights.may(caller, Permission.EDIT, task.queue()) && PayloadEditor.isEditable(task.state());
    }

    /** Returns the route that gives a waiting task its time back; null if its time is not known. */
    @Nullable
    String back(Views.Task task) {
        return task.at() == null
                ? null
                : Links.apiTask(task.queue(), task.ref()) + "/reschedule?at="
                        + Links.value(task.at().toString()) + "&attempts=" + task.attempts();
    }

    /** Whether a task may have another time, as far as its state tells. */
    boolean mayReschedule(Views.Task task) {
        return mayOperate(task.queue())
                && (task.state().equals("scheduled") || task.state().equals("retry"));
    }

    boolean mayOperate(@Nullable String queue) {
        return caller.may(Permission.OPERATE, queue);
    }

    boolean mayAdminister() {
        return caller.may(Permission.ADMINISTER, null);
    }

    /** Whether the caller can log out here. */
    boolean mayLogOut() {
        return caller.by() == Caller.By.SESSION || caller.by() == Caller.By.OIDC;
    }

    /** Returns what the charts of a queue show, in one sentence. */
    String chartSummary(QueueCharts charts) {
        return t(
                "charts.said",
                word("range", charts.range().toString()),
                number(charts.total().count(RunCount.SUCCEEDED)),
                number(charts.total().count(RunCount.RETRIED)),
                number(charts.total().count(RunCount.DEAD)),
                said(charts.total().waits()),
                said(charts.total().runs()));
    }

    private String said(DurationHistogram durations) {
        Double millis = QueueCharts.millis(durations, 0.95);
        return millis == null ? "–" : t("unit.ms", decimal(millis));
    }
}
