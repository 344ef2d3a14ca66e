package drover.opsagent.runtime.files;

import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** A tool of the machine that a test uses to set a scene or to look at it. */
final class Tool {
    private static final int MISSING = 127;

    private Tool() {}

    /** Its exit code; 127 if it is not installed. */
    static int run(String... command) {
        try {
            return new ProcessBuilder(command).inheritIO().start().waitFor();
        } catch (IOException e) {
            return MISSING;
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** All that it prints. */
    static String output(String... command) {
        try {
            Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
            return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
