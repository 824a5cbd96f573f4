package dev.tandem.server.cli;

import dev.tandem.server.findings.Finding;
import java.io.PrintWriter;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.StreamSupport;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Says whether all that a platform needs is as it should be. */
@Command(
        name = "doctor",
        mixinStandardHelpOptions = true,
        description = {
            "Checks Redis, the brokers, their settings, rights and clocks, the queues, and how this machine reaches the server: "
                    + "what is wrong, and what to do.",
            ""
        },
        footer = {
            "",
            "Exit status: 0 no problem, 4 a problem (with --strict also a warning), 3 the server can't be reached."
        })
final class DoctorCommand implements Callable<Integer> {

    private static final int HAS_PROBLEMS = 4;
    private static final List<String> LEVELS = List.of("problem", "warning", "ok");

    @Mixin
    private final ServerOptions server = new ServerOptions();

    @Option(names = "--strict", description = "let warnings count as problems")
    private boolean strict;

    @Option(names = "--problems", description = "leave out what is well")
    private boolean onlyProblems;

    @Override
    public Integer call() {
        ObjectNode report = ApiClient.JSON.createObjectNode();
        ArrayNode findings = report.putArray("findings");
        LocalChecks local = new LocalChecks(server);
        int unreached = 0;
        try {
            local.beforehand().forEach(each -> add(each, findings));
            JsonNode answer = server.api().get(ApiClient.path("doctor"));
            Instant received = Instant.now();
            add(local.reached(), findings);
            if (answer.has("now")) {
                String now = answer.path("now").asString();
                report.put("now", now);
                add(LocalChecks.clock(Instant.parse(now), received), findings);
            }
            answer.path("findings").forEach(findings::add);
        } catch (CliException e) {
            add(local.failed(e), findings);
            unreached = e.status() == CliException.UNREACHABLE ? CliException.UNREACHABLE : 0;
        }
        server.print(report, this::print);
        if (unreached != 0) {
            return unreached;
        }
        return count(findings, "problem") > 0 || strict && count(findings, "warning") > 0 ? HAS_PROBLEMS : 0;
    }

    /** Adds a finding in the form in which the server gives its own. */
    private static void add(Finding finding, ArrayNode findings) {
        ObjectNode node = findings.addObject().put("area", finding.area());
        if (finding.subject() != null) {
            node.put("subject", finding.subject());
        }
        node.put("check", finding.check())
                .put("level", finding.level().name().toLowerCase(Locale.ROOT))
                .put("text", finding.text());
        if (finding.remedy() != null) {
            node.put("remedy", finding.remedy());
        }
    }

    private static long count(JsonNode findings, String level) {
        return StreamSupport.stream(findings.spliterator(), false)
                .filter(each -> each.path("level").asString("").equals(level))
                .count();
    }

    private static String counted(JsonNode findings, String level) {
        long count = count(findings, level);
        return count + " " + level + (count == 1 ? "" : "s");
    }

    private void print(JsonNode report, PrintWriter out) {
        JsonNode findings = report.path("findings");
        StreamSupport.stream(findings.spliterator(), false)
                .filter(each ->
                        !onlyProblems || !each.path("level").asString("").equals("ok"))
                .sorted(Comparator.comparingInt(
                        each -> LEVELS.indexOf(each.path("level").asString(""))))
                .forEach(each -> printFinding(each, out));
        out.println(counted(findings, "problem") + ", " + counted(findings, "warning") + "; " + count(findings, "ok")
                + " ok");
    }

    private static void printFinding(JsonNode finding, PrintWriter out) {
        String subject = finding.path("subject").asString("");
        out.printf(
                "%-8s %-9s %s%s%n",
                finding.path("level").asString(""),
                finding.path("area").asString(""),
                subject.isEmpty() ? "" : TextTable.oneLine(subject) + ": ",
                TextTable.oneLine(finding.path("text").asString("")));
        if (finding.has("remedy")) {
            out.printf(
                    "%-8s %-9s -> %s%n",
                    "", "", TextTable.oneLine(finding.path("remedy").asString("")));
        }
    }
}
