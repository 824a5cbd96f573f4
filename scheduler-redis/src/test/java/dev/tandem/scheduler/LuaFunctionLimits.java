package dev.tandem.scheduler;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Finds out by scopes how many locals and upvalues each function of a Lua 5.1 text has, and which globals it uses. Knows
 * as much of Lua's grammar as that needs: names, blocks, functions and {@code local}.
 */
final class LuaFunctionLimits {

    private static final Pattern TOKEN = Pattern.compile(
            "--[^\n]*|'(?:\\\\.|[^'\\\\\n])*'|\"(?:\\\\.|[^\"\\\\\n])*\"|[A-Za-z_]\\w*|\\d[\\w.]*|\\.\\.\\.|\\.\\.|[=~<>]=|\\S");
    private static final Set<String> KEYWORDS = Set.of(
            "and",
            "break",
            "do",
            "else",
            "elseif",
            "end",
            "false",
            "for",
            "function",
            "if",
            "in",
            "local",
            "nil",
            "not",
            "or",
            "repeat",
            "return",
            "then",
            "true",
            "until",
            "while");

    /**
     * One function.
     *
     * @param name as far as it has one; the whole text is the function "script"
     * @param locals the most locals that are in scope at once, parameters included
     * @param upvalues locals of enclosing functions that it or a function in it uses
     */
    record LuaFunction(String name, int locals, Set<String> upvalues) {}

    /** The functions and variables that a text uses. */
    record Usage(List<LuaFunction> functions, Set<String> globals) {}

    private static final class Scope {
        final String name;
        final @Nullable Scope outer;
        final Deque<List<String>> blocks = new ArrayDeque<>();
        final Set<String> upvalues = new LinkedHashSet<>();
        int mostLocals;

        Scope(String name, @Nullable Scope outer) {
            this.name = name;
            this.outer = outer;
            blocks.push(new ArrayList<>());
        }

        void declare(String local) {
            blocks.element().add(local);
            mostLocals =
                    Math.max(mostLocals, blocks.stream().mapToInt(List::size).sum());
        }

        boolean has(String local) {
            return blocks.stream().anyMatch(block -> block.contains(local));
        }
    }

    private final List<String> tokens = new ArrayList<>();
    private final List<LuaFunction> functions = new ArrayList<>();
    private final Set<String> globals = new TreeSet<>();

    /** Stack of what each {@code end} closes: true for a function, false for a block. */
    private final Deque<Boolean> openEnds = new ArrayDeque<>();

    private Scope scope = new Scope("script", null);
    private int at;

    private LuaFunctionLimits(String text) {
        Matcher token = TOKEN.matcher(text);
        while (token.find()) {
            if (!token.group().startsWith("--")) {
                tokens.add(token.group());
            }
        }
    }

    static Usage of(String text) {
        LuaFunctionLimits limits = new LuaFunctionLimits(text);
        while (limits.at < limits.tokens.size()) {
            limits.step();
        }
        limits.functions.add(new LuaFunction("script", limits.scope.mostLocals, Set.of()));
        return new Usage(limits.functions, limits.globals);
    }

    private void step() {
        String token = tokens.get(at);
        switch (token) {
            case "local" -> local();
            case "function" -> function(null);
            case "for" -> loop();
            case "do", "then", "repeat" -> {
                if (token.equals("repeat")) {
                    throw new IllegalArgumentException("This does not know 'repeat'");
                }
                open(false);
                at++;
            }
            case "else" -> {
                scope.blocks.pop();
                scope.blocks.push(new ArrayList<>());
                at++;
            }
            case "elseif" -> {
                scope.blocks.pop();
                openEnds.pop(); // Its own 'then' opens the block again.
                at++;
            }
            case "end" -> close();
            default -> {
                use(token);
                at++;
            }
        }
    }

    private void open(boolean function) {
        openEnds.push(function);
        if (!function) {
            scope.blocks.push(new ArrayList<>());
        }
    }

    private void close() {
        at++;
        if (openEnds.pop()) {
            functions.add(new LuaFunction(scope.name, scope.mostLocals, scope.upvalues));
            scope = scope.outer;
        } else {
            scope.blocks.pop();
        }
    }

    /** Declares names before their values are read: close enough, because no script reads an outer local of that name. */
    private void local() {
        at++;
        if (tokens.get(at).equals("function")) {
            scope.declare(tokens.get(at + 1));
            function(tokens.get(at + 1));
            return;
        }
        List<String> names = names();
        // In 'local a, b = a, b' the values are those of outer scopes.
        if (at < tokens.size() && tokens.get(at).equals("=")) {
            for (int i = at + 1;
                    i < tokens.size()
                            && (names.contains(tokens.get(i)) || tokens.get(i).equals(","));
                    i++) {
                use(tokens.get(i), i);
            }
        }
        names.forEach(scope::declare);
    }

    private void loop() {
        at++;
        List<String> names = names();
        // Lua keeps up to three hidden locals for a loop.
        while (!tokens.get(at).equals("do")) {
            step();
        }
        open(false);
        scope.declare("(for)");
        scope.declare("(for)");
        scope.declare("(for)");
        names.forEach(scope::declare);
        at++;
    }

    private void function(@Nullable String declared) {
        at++;
        StringBuilder name = new StringBuilder();
        while (!tokens.get(at).equals("(")) {
            if (declared == null) {
                use(tokens.get(at));
            }
            name.append(tokens.get(at));
            at++;
        }
        scope = new Scope(name.toString(), scope);
        open(true);
        at++;
        names().forEach(scope::declare);
        if (tokens.get(at).equals("...")) {
            at++;
        }
        at++;
    }

    private List<String> names() {
        List<String> names = new ArrayList<>();
        while (isName(tokens.get(at))) {
            names.add(tokens.get(at));
            at++;
            if (!tokens.get(at).equals(",")) {
                break;
            }
            at++;
        }
        return names;
    }

    private void use(String token) {
        use(token, at);
    }

    private void use(String token, int index) {
        boolean field = index > 0
                && (tokens.get(index - 1).equals(".") || tokens.get(index - 1).equals(":"));
        boolean tableKey = index + 1 < tokens.size()
                && tokens.get(index + 1).equals("=")
                && index > 0
                && (tokens.get(index - 1).equals("{") || tokens.get(index - 1).equals(","))
                && inTable(index);
        if (!isName(token) || field || tableKey) {
            return;
        }
        Set<Scope> passed = new HashSet<>();
        for (Scope each = scope; each != null; each = each.outer) {
            if (each.has(token)) {
                passed.forEach(inner -> inner.upvalues.add(token));
                return;
            }
            passed.add(each);
        }
        globals.add(token);
    }

    /** Returns whether a token is directly inside of braces. */
    private boolean inTable(int index) {
        int depth = 0;
        for (int i = index - 1; i >= 0; i--) {
            switch (tokens.get(i)) {
                case "}", ")", "]" -> depth++;
                case "{", "(", "[" -> {
                    if (depth == 0) {
                        return tokens.get(i).equals("{");
                    }
                    depth--;
                }
                default -> {}
            }
        }
        return false;
    }

    private static boolean isName(String token) {
        return (Character.isLetter(token.charAt(0)) || token.charAt(0) == '_') && !KEYWORDS.contains(token);
    }
}
