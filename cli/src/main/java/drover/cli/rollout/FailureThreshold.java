package drover.cli.rollout;

import drover.cli.terminal.CommandFailed;

/**
 * How many failed nodes a rollout tolerates, as typed: {@code 2} or {@code 10%}.
 *
 * @param count 0 when none is given
 * @param percent 0 when none is given
 */
record FailureThreshold(int count, int percent) {
    /**
     * Reads the threshold.
     *
     * @param text a number, or one that ends with {@code %}; empty when not given
     * @param percent what {@code --failure-threshold-percent} says; 0 when not given
     */
    static FailureThreshold parse(String text, int percent) {
        if (text.isEmpty()) {
            return new FailureThreshold(0, percent);
        }
        if (!text.endsWith("%")) {
            return new FailureThreshold(number(text, text), percent);
        }
        if (percent != 0) {
            throw CommandFailed.usage(
                    "Give --threshold or --failure-threshold-percent a percentage, not both.");
        }
        return new FailureThreshold(0, number(text.substring(0, text.length() - 1), text));
    }

    private static int number(String digits, String text) {
        if (!digits.matches("[0-9]{1,9}")) {
            throw CommandFailed.usage(
                    "--threshold does not take '" + text + "'; write 2 or 10%, for example.");
        }
        return Integer.parseInt(digits);
    }
}
