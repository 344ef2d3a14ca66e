package drover.model.cluster;

import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Order in which members are upgraded: unhealthy voters that cost no vote, members without a vote,
 * followers, the leader. Within a group the highest number at the end of the name is first.
 */
final class UpgradeOrder {
    private static final Pattern ORDINAL = Pattern.compile("[0-9]{1,18}$");

    private UpgradeOrder() {}

    /** Voters and learners that are not upgraded yet; a member of unknown role has no place. */
    static List<String> next(CrossCheckedVoters view, Set<String> upgraded) {
        return view.members().stream()
                .filter(member -> view.isVoter(member) || view.isLearner(member))
                .filter(member -> !upgraded.contains(member))
                .sorted(
                        Comparator.<String>comparingInt(member -> group(view, member))
                                .thenComparing(
                                        Comparator.comparingLong(UpgradeOrder::ordinal).reversed())
                                .thenComparing(Comparator.reverseOrder()))
                .toList();
    }

    private static int group(CrossCheckedVoters view, String member) {
        if (member.equals(view.leader().member())) {
            return 3;
        }
        if (!view.isVoter(member)) {
            return 1;
        }
        return view.costsNoVote(member) ? 0 : 2;
    }

    /** Names without a number are last in their group. */
    private static long ordinal(String member) {
        Matcher digits = ORDINAL.matcher(member);
        return digits.find() ? Long.parseLong(digits.group()) : -1;
    }
}
