package dev.tandem.testkit;

import dev.tandem.kit.FileTree;
import dev.tandem.testkit.DocumentedBlocks.Block;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Reads the calls of programs out of blocks of shell commands. Bash itself runs the blocks, so it decides what is
 * quoted, continued or a comment; but in place of each program it runs a function that writes down how it was called.
 */
public final class ShellCalls {

    private static final Set<String> LANGUAGES = Set.of("sh", "bash", "console");

    /** Programs that a block calls by a path. Bash finds all others, or rather does not, by their names. */
    private static final List<String> BY_PATH = List.of("tandem", "mvnw", ".ci/run");

    /**
     * What bash runs before the blocks. The blocks of a page share one shell, as they do when somebody types them.
     * Folders that they make exist, since later commands write into them; but it never leaves its own folder.
     */
    private static final String PRELUDE = """
            PATH=/nonexistent
            record() {
              local input=
              IFS= read -r -d '' input || true
              printf '%s\\0' "$BLOCK" "$#" "$@" "$input" >>"$CALLS"
            }
            command_not_found_handle() {
              record "$@"
              case "$1 ${2:-}" in
                'mktemp -d') printf '%s' "$HOME" ;;
                'git clone') /bin/mkdir -p "${!#}" ;;
                'mkdir -p') /bin/mkdir -p "$HOME/target" ;;
              esac
            }
            cd() { :; }
            export -f record
            """;

    private static final long SECONDS = 60;

    /**
     * A call of a program.
     *
     * @param words the program and its arguments, as the program gets them
     * @param input what it reads from a pipe or a here-document, else empty
     */
    public record Call(Block block, List<String> words, String input) {

        public String program() {
            return words.get(0);
        }

        public List<String> arguments() {
            return words.subList(1, words.size());
        }

        @Override
        public String toString() {
            return block.page() + ":" + block.line() + ": " + String.join(" ", words);
        }
    }

    private ShellCalls() {}

    /** Returns the calls in the blocks of all pages. */
    public static List<Call> all() {
        return DocumentedBlocks.pages().stream()
                .flatMap(page -> in(DocumentedBlocks.in(page)).stream())
                .toList();
    }

    /** Returns the calls in the blocks of a page that are shell commands. Fails if bash finds a mistake in one. */
    public static List<Call> in(List<Block> page) {
        List<Block> blocks = page.stream().filter(ShellCalls::isShell).toList();
        if (blocks.isEmpty()) {
            return List.of();
        }
        try {
            Path folder = Files.createTempDirectory("documented");
            try {
                return run(blocks, folder);
            } finally {
                FileTree.delete(folder);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns whether a block is made of shell commands. */
    public static boolean isShell(Block block) {
        return LANGUAGES.contains(block.language());
    }

    private static List<Call> run(List<Block> blocks, Path folder) throws IOException {
        for (String name : BY_PATH) {
            Path program = folder.resolve(name);
            Files.createDirectories(program.getParent());
            Files.writeString(program, "#!/bin/bash\nrecord \"$0\" \"$@\"\n");
            if (!program.toFile().setExecutable(true)) {
                throw new IOException("Cannot make " + program + " executable");
            }
        }
        StringBuilder script = new StringBuilder(PRELUDE);
        for (int i = 0; i < blocks.size(); i++) {
            script.append("export BLOCK=")
                    .append(i)
                    .append('\n')
                    .append(blocks.get(i).text());
        }
        Path calls = Files.createFile(folder.resolve(".calls"));
        Path output = folder.resolve(".output");
        Path file = Files.writeString(folder.resolve(".script"), script);
        ProcessBuilder bash = new ProcessBuilder("/bin/bash", file.toString())
                .directory(folder.toFile())
                .redirectInput(new File("/dev/null"))
                .redirectOutput(folder.resolve(".out").toFile())
                .redirectError(output.toFile());
        bash.environment().clear();
        bash.environment().putAll(Map.of("CALLS", calls.toString(), "HOME", folder.toString(), "LC_ALL", "C"));
        await(bash.start(), blocks.get(0).page());
        String mistakes = Files.readString(output);
        if (!mistakes.isEmpty()) {
            throw new AssertionError(blocks.get(0).page() + " has shell commands in which bash finds mistakes: "
                    + mistakes + "\n" + script.substring(PRELUDE.length()));
        }
        return parse(Files.readString(calls, StandardCharsets.UTF_8), blocks);
    }

    private static void await(Process bash, String page) {
        try {
            if (!bash.waitFor(SECONDS, TimeUnit.SECONDS)) {
                throw new AssertionError("The commands of " + page + " do not end");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        } finally {
            bash.destroyForcibly();
        }
    }

    private static List<Call> parse(String recorded, List<Block> blocks) {
        String[] fields = recorded.split("\0", -1);
        List<Call> calls = new ArrayList<>();
        int next = 0;
        while (next + 1 < fields.length) {
            Block block = blocks.get(Integer.parseInt(fields[next]));
            int words = Integer.parseInt(fields[next + 1]);
            List<String> called = List.of(fields).subList(next + 2, next + 2 + words);
            calls.add(new Call(block, List.copyOf(called), fields[next + 2 + words]));
            next += 3 + words;
        }
        requireCalls(blocks, calls);
        return calls;
    }

    /** A block without a call was not understood, unless it only sets variables. */
    private static void requireCalls(List<Block> blocks, List<Call> calls) {
        Map<Block, Integer> counts = new LinkedHashMap<>();
        calls.forEach(call -> counts.merge(call.block(), 1, Integer::sum));
        for (Block block : blocks) {
            if (!counts.containsKey(block) && !block.text().lines().allMatch(line -> line.matches("[A-Z_]+=\\S+"))) {
                throw new AssertionError(block + ": bash called no program");
            }
        }
    }
}
