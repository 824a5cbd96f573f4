package dev.tandem.runtime;

import java.util.List;

/** The settings of one limit, which the program makes. */
final class LimitSection {

    private final ProgramSettings program;
    private final String prefix;

    /** @param section where limits of this kind are, such as {@code tandem.limits} */
    LimitSection(ProgramSettings program, String section, String name) {
        this.program = program;
        this.prefix = section + (name.matches("[A-Za-z0-9-]+") ? "." + name : "[" + name + "]") + ".";
    }

    void set(String setting, String value) {
        program.set(prefix + setting, value);
    }

    void set(String setting, List<String> values) {
        // One by one, since a value may have a comma.
        for (int i = 0; i < values.size(); i++) {
            set(setting + "[" + i + "]", values.get(i));
        }
    }
}
