package drover.kit.text;

import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/** Finds the name somebody probably meant. */
public final class NearestName {
    private static final int LONGEST = 64; // longer texts are no misspelt field names

    private NearestName() {}

    /** The known name at most a third of its letters away, or empty when none is close. */
    public static Optional<String> of(String written, Collection<String> known) {
        if (written.length() > LONGEST) {
            return Optional.empty();
        }
        return known.stream()
                .filter(name -> distance(written, name) <= Math.max(1, name.length() / 3))
                .min(
                        Comparator.<String>comparingInt(name -> distance(written, name))
                                .thenComparing(Comparator.naturalOrder()));
    }

    /** The number of letters to change, add or leave out. */
    private static int distance(String from, String to) {
        int[] row = new int[to.length() + 1];
        for (int j = 0; j <= to.length(); j++) {
            row[j] = j;
        }
        for (int i = 1; i <= from.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= to.length(); j++) {
                int changed = diagonal + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(changed, 1 + Math.min(row[j], row[j - 1]));
            }
        }
        return row[to.length()];
    }
}
