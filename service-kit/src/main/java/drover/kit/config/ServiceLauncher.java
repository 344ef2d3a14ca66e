package drover.kit.config;

import drover.kit.log.Logging;
import drover.kit.text.TextTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.function.Function;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs a service as a process: reads its settings, starts it, waits for a signal, closes it. What
 * keeps it from starting is told in one sentence, never as a stack trace; the log has the rest.
 */
public final class ServiceLauncher {
    private static final Logger LOG = LoggerFactory.getLogger(ServiceLauncher.class);
    private static final int USAGE_ERROR = 2;
    private static final int CANNOT_START = 1;
    private static final String HELP = "--help";
    private static final String PRINT = "--print-config";

    private ServiceLauncher() {}

    /**
     * Runs a service until the process is told to end.
     *
     * <p>{@code --help} says what it can be told, {@code --print-config} what it was told and by
     * whom; neither starts anything.
     *
     * @param service its short name, as in the environment's variables
     * @param known what it can be told
     * @param start starts it
     */
    public static void run(
            String service,
            List<SettingDefinition> known,
            String[] arguments,
            Function<Settings, AutoCloseable> start)
            throws InterruptedException {
        Locale.setDefault(Locale.Category.FORMAT, Locale.ROOT); // digits that machines read
        AutoCloseable running;
        Logging.startWarningsOnly(); // until it is known how much is wanted
        try {
            List<String> words = new ArrayList<>(List.of(arguments));
            if (words.contains(HELP)) {
                System.out.println(usageText(service, known));
                return;
            }
            boolean show = words.remove(PRINT);
            Settings settings =
                    Settings.read(service, known, words.toArray(String[]::new), System.getenv());
            if (show) {
                printAndCheckSettings(settings);
                return;
            }
            Logging.startForService(System.getenv());
            running = start.apply(settings);
        } catch (IllegalArgumentException e) {
            exitWithError(service, e, USAGE_ERROR);
            return;
        } catch (RuntimeException e) {
            exitWithError(service, e, CANNOT_START);
            return;
        }
        Runtime.getRuntime().addShutdownHook(new Thread(() -> close(running), "stop"));
        LOG.info("The service has started service={}", service);
        new CountDownLatch(1).await(); // the process ends by a signal alone
    }

    /** What can be told, one setting a line. */
    static String usageText(String service, List<SettingDefinition> known) {
        List<String[]> rows = new ArrayList<>();
        rows.add(new String[] {"SETTING", "OTHERWISE", "MEANING"});
        Stream.concat(known.stream(), Stream.of(Settings.FILE))
                .forEach(setting -> rows.add(usageRow(setting)));
        return "Runs the %s. A setting stands behind its flag, in the environment as %s..., or in a file.%n%n%s%n%n%s"
                .formatted(
                        service,
                        SettingDefinition.environmentPrefix(service),
                        TextTable.of(rows),
                        PRINT + " shows every setting, its value and where that stands.");
    }

    private static String[] usageRow(SettingDefinition setting) {
        String otherwise = setting.defaultValue();
        return new String[] {
            setting.flag() + " " + setting.placeholder(),
            otherwise == null ? "(needed)" : otherwise.isEmpty() ? "-" : otherwise,
            setting.description()
        };
    }

    private static void printAndCheckSettings(Settings settings) {
        System.out.println(settings.formatTable());
        List<String> missing = settings.missingFlags();
        if (!missing.isEmpty()) {
            throw new IllegalArgumentException(
                    "It cannot start without " + String.join(", ", missing) + ".");
        }
    }

    private static void exitWithError(String service, RuntimeException failure, int code) {
        LOG.debug("The service could not start service={}", service, failure);
        System.err.println(service + ": " + failureSentence(failure));
        System.exit(code);
    }

    /** The failure with the innermost reason, which names what a person can mend. */
    static String failureSentence(Throwable failure) {
        Throwable root = failure;
        while (root.getCause() != null && root.getCause().getMessage() != null) {
            root = root.getCause();
        }
        String outer = String.valueOf(failure.getMessage());
        return root.equals(failure) ? outer : outer + ": " + root.getMessage();
    }

    private static void close(AutoCloseable running) {
        try {
            running.close();
        } catch (Exception e) {
            LOG.warn("The service did not end cleanly reason={}", e.getMessage());
        }
    }
}
