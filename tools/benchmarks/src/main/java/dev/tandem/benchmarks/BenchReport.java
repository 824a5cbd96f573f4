package dev.tandem.benchmarks;

import dev.tandem.benchmarks.Budget.Numbers;
import dev.tandem.kit.MachineInfo;
import dev.tandem.kit.MarkdownTable;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import tools.jackson.databind.json.JsonMapper;

/** The result of a run, as a table for people or as JSON for scripts. */
record BenchReport(MachineInfo machine, List<String> brokers, List<Measurement> lines) {

    static final String LOAD = "load average";

    private static final List<String> COLUMNS = List.of("what", "budget", "measured", "reached");

    String table() {
        MarkdownTable table = new MarkdownTable(MarkdownTable.Rule.SHORT, COLUMNS);
        for (Measurement line : lines) {
            table.row(List.of(line.name(), line.budget().text(line.unit()), value(line), reached(line)));
        }
        StringBuilder text = new StringBuilder(table.toString());
        text.append("\n").append(machine.text(LOAD)).append("\n");
        brokers.forEach(broker -> text.append(broker).append("\n"));
        return text.toString();
    }

    private static String value(Measurement line) {
        String note = line.note();
        String value = line.isMissing() ? "not measured" : Numbers.text(line.value(), line.unit());
        return note == null ? value : value + " (" + note + ")";
    }

    private static String reached(Measurement line) {
        if (line.isMissing() || line.budget() instanceof Budget.None) {
            return "";
        }
        double off = line.budget().offPercent(line.value());
        return line.budget().isReached(line.value()) ? "yes" : String.format(Locale.ROOT, "no, %.0f %% off", off);
    }

    String json() {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("machine", machine);
        all.put("brokers", brokers);
        all.put("measured", lines.stream().map(BenchReport::fields).toList());
        return JsonMapper.builder().build().writerWithDefaultPrettyPrinter().writeValueAsString(all);
    }

    private static Map<String, Object> fields(Measurement line) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("what", line.name());
        fields.put("unit", line.unit());
        if (line.budget() instanceof Budget.AtLeast least) {
            fields.put("atLeast", least.value());
        } else if (line.budget() instanceof Budget.AtMost most) {
            fields.put("atMost", most.value());
        }
        if (!line.isMissing()) {
            fields.put("measured", line.value());
            if (!(line.budget() instanceof Budget.None)) {
                fields.put("reached", line.budget().isReached(line.value()));
            }
        }
        if (line.note() != null) {
            fields.put("note", line.note());
        }
        return fields;
    }

    /** Whether everything was measured and every budget was reached. */
    boolean allReached() {
        return lines.stream()
                .allMatch(line -> !line.isMissing() && line.budget().isReached(line.value()));
    }
}
