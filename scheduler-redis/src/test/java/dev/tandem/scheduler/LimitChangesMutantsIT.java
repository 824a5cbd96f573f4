package dev.tandem.scheduler;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tandem.task.store.LimitChangesConformance;
import dev.tandem.task.store.LimitKind;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Proves that the rules of changes of limits notice a script that breaks one of them. */
class LimitChangesMutantsIT {

    private static final String SCRIPT = "change_limit.lua";

    private enum LimitMutant {
        /** Makes a change whatever revision it names. */
        IGNORE_REVISION(
                "if ARGV[2] ~= '' and ARGV[2] ~= revision and",
                "if false and",
                "ofChangesThatNameOneRevisionOneIsMade"),
        /** Makes a change that was made for a limit without an override, whatever that limit has. */
        IGNORE_OVERRIDE(
                "(ARGV[2] ~= NO_REVISION or is_overridden)",
                "ARGV[2] ~= NO_REVISION",
                "aChangeThatNamesAnotherRevisionIsRefusedWithWhatIsInForce"),
        /** Forgets the revision of a reset, so that the next one may get it again. */
        FORGET_RESET(
                "call('PEXPIRE', KEYS[1], RESET_LIMIT_KEPT_MILLIS)",
                "call('DEL', KEYS[1])",
                "anUndoOfAResetTakesBackNoLaterOne"),
        /** Gives each change the revision of the one before. */
        KEEP_REVISION(
                "math.max(time[1] * 1000000 + time[2], (tonumber(revision) or 0) + 1)",
                "tonumber(revision) or 1",
                "theSameNumberAgainHasAnotherRevision");

        private final String text;
        private final String by;

        /** The rule that the mutant breaks, for limits of each kind. */
        private final String rule;

        LimitMutant(String text, String by, String rule) {
            this.text = text;
            this.by = by;
            this.rule = rule;
        }

        Set<String> broken() throws Exception {
            return LimitChangesMutantsIT.broken(new ChangedScriptLoader(SCRIPT, text, by));
        }
    }

    @ParameterizedTest
    @EnumSource
    void aScriptThatBreaksARuleIsCaught(LimitMutant mutant) throws Exception {
        assertThat(mutant.broken())
                .as("rules that %s breaks", mutant)
                .contains(Arrays.stream(LimitKind.values())
                        .map(kind -> mutant.rule + " " + kind)
                        .toArray(String[]::new));
    }

    /** Shows that a mutant is caught for its change, not because it is loaded apart from the tests. */
    @Test
    void theUnchangedScriptIsNotCaught() throws Exception {
        assertThat(broken(new ChangedScriptLoader(SCRIPT, "local call = redis.call", "local call = redis.call")))
                .isEmpty();
    }

    /** Returns the rules that the store breaks which this loader loads. */
    private static Set<String> broken(ClassLoader loader) throws Exception {
        var constructor =
                loader.loadClass(LimitChangesConformanceIT.class.getName()).getDeclaredConstructor();
        constructor.setAccessible(true);
        LimitChangesConformance rules = (LimitChangesConformance) constructor.newInstance();
        call(rules, "start");
        try {
            Set<String> broken = new TreeSet<>();
            for (Method rule : LimitChangesConformance.class.getMethods()) {
                if (rule.isAnnotationPresent(ParameterizedTest.class)) {
                    Arrays.stream(LimitKind.values())
                            .filter(kind -> isBroken(rules, rule, kind))
                            .forEach(kind -> broken.add(rule.getName() + " " + kind));
                }
            }
            return broken;
        } finally {
            call(rules, "stop");
        }
    }

    private static void call(Object on, String method) throws Exception {
        Method found = on.getClass().getDeclaredMethod(method);
        found.setAccessible(true);
        found.invoke(on);
    }

    private static boolean isBroken(LimitChangesConformance rules, Method rule, LimitKind kind) {
        try {
            rule.invoke(rules, kind);
            return false;
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof AssertionError) {
                return true;
            }
            throw new IllegalStateException(rule + " failed otherwise", e.getCause());
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }
}
