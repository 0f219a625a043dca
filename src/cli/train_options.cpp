#include "cli/train_options.hpp"

#include "error.hpp"
#include "opencd/methods/registry.hpp"

#include <charconv>

namespace opencd::cli {

namespace {

nn::FreezePoint freeze_point(const std::string& name) {
  if (name == "none") return nn::FreezePoint::none;
  return static_cast<nn::FreezePoint>(name.back() - '0');
}

}  // namespace

void add_learning_options(CLI::App& verb, LearningArguments& a) {
  const std::string network = "Network";
  verb.add_option("--arch", a.arch, "resnet18 | resnet34 | resnet50 | resnet20 | resnet56 ...")
      ->capture_default_str()
      ->group(network);
  verb.add_option("--stem", a.stem, "First layers of resnet18, 34 and 50: cifar | imagenet")
      ->check(CLI::IsMember({"cifar", "imagenet"}))
      ->capture_default_str()
      ->group(network);
  verb.add_option("--width", a.width, "Channels of the first stage; 0: the network's own")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str()
      ->group(network);
  keyed_by("weights",
           verb.add_option("--weights", a.weights, "Start from this backbone (safetensors)")
               ->group(network));
  verb.add_option("--freeze-until", a.freeze_until, "Last stage that is not trained")
      ->check(CLI::IsMember({"none", "stage1", "stage2", "stage3", "stage4"}))
      ->capture_default_str()
      ->group(network);
  verb.add_option("--frozen-norm", a.frozen_norm,
                  "Batch norm of frozen stages: batch (as the authors' code) | fixed (faster)")
      ->check(CLI::IsMember({"batch", "fixed"}))
      ->capture_default_str()
      ->group(network);
  const std::string learning = "Learning";
  verb.add_option("--augment", a.augment, "Views of a picture; `data show --augment` shows them")
      ->check(CLI::IsMember(kernels::augment_preset_names()))
      ->capture_default_str()
      ->group(learning);
  verb.add_option("--crop", a.crop, "Pixels a side of a training view; 0: as the pictures")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str()
      ->group(learning);
  verb.add_option("--epochs", a.epochs, "Passes over the labelled rows (all rows without labels)")
      ->check(CLI::Range(0, 1000000))
      ->capture_default_str()
      ->group(learning);
  verb.add_option("-b,--batch", a.batch, "Pictures a step")
      ->check(CLI::Range(1, 65536))
      ->capture_default_str()
      ->group(learning);
  verb.add_option("--lr", a.learning_rate, "Learning rate")
      ->check(CLI::PositiveNumber)
      ->capture_default_str()
      ->group(learning);
  verb.add_option("--weight-decay", a.weight_decay, "Weight decay")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str()
      ->group(learning);
}

void add_run_options(CLI::App& verb, RunArguments& a) {
  const std::string group = "Run";
  const auto add = [&](CLI::Option* option) { return harmless(option)->group(group); };
  add(verb.add_option("-o,--out", a.out, "Folder of the run (default: runs/NAME)"));
  add(verb.add_option("--name", a.name, "NAME of the run (default: verb and data set)"));
  add(verb.add_option("--runs", a.root, "Where runs are")->capture_default_str());
  add(verb.add_option("--resume", a.resume,
                      "auto: go on with the newest run of these settings, or begin; or a run or "
                      "checkpoint"));
  add(verb.add_flag("--force", a.force, "Resume though key settings have changed"));
  add(verb.add_option("--save-every", a.save_every, "Epochs between checkpoints; 0: only the last")
          ->check(CLI::NonNegativeNumber)
          ->capture_default_str());
  add(verb.add_option("--save-minutes", a.save_minutes, "Minutes after which one is saved anyhow")
          ->check(CLI::NonNegativeNumber)
          ->capture_default_str());
  add(verb.add_option("--keep-last", a.keep_last, "Checkpoints to keep besides the best; 0: all")
          ->capture_default_str());
  add(verb.add_option("--max-hours", a.max_hours, "Save and stop after so long; 0: never")
          ->check(CLI::NonNegativeNumber)
          ->capture_default_str());
  add(verb.add_option("--eval-every", a.eval_every,
                      "Epochs between evaluations; 0: only at the end")
          ->check(CLI::NonNegativeNumber)
          ->capture_default_str());
}

void add_method_options(CLI::App& verb, MethodArguments& a) {
  const std::string group = "Method";
  OpenNcdConfig& c = a.open_ncd;
  const auto number = [&](const char* name, auto& value, const char* help) {
    return verb.add_option(name, value, help)->capture_default_str()->group(group);
  };
  const auto word = [&](const char* name, std::string& value, const char* help,
                        const std::vector<std::string>& words) {
    verb.add_option(name, value, help)
        ->check(CLI::IsMember(words))
        ->capture_default_str()
        ->group(group);
  };
  word("--method", a.method,
       "Method; opencd is OpenNCD as published, opencd+ what became of it here", method_names());
  verb.add_option("--classes", a.classes, "Number of classes, known and new; auto: unknown")
      ->capture_default_str()
      ->group(group);
  const auto flag = [&](const std::string& name, bool& value, const char* help) {
    verb.add_flag(fmt::format("--{0},!--no-{0}", name), value, help)->group(group);
  };
  number("--prototypes", c.prototypes, "K; by itself 50, or 10 for every known class above 10")
      ->check(CLI::Range(1, 1000));
  number("--tau", c.temperature, "Temperature of the prototype softmax");
  number("--lambda-reg", c.lambda_reg, "Weight of the prior regulariser");
  number("--lambda-ce", c.lambda_ce, "Weight of the cross-entropy of labelled rows");
  verb.add_flag("--no-proto-loss", a.no_proto_loss, "Leave out L_proto")->group(group);
  verb.add_flag("--no-group-loss", a.no_group_loss, "Leave out L_group")->group(group);
  word("--losses", a.losses, "Form of the losses: the authors' code or the paper",
       {"code", "paper"});
  number(
      "--kappa", c.kappa,
      "Nearest prototypes of a row that count for the affinity; by itself 3, or 10 above 10 known "
      "classes");
  word("--affinity", a.affinity, "How shared rows become an affinity", {"overlap", "jaccard"});
  number("--affinity-share", c.mix,
         "Weight of shared rows against the prototypes' cosine; by itself 1, or 0.9 above 10 known "
         "classes")
      ->check(CLI::Range(0.0, 1.0));
  word("--grouping", a.grouping,
       "How prototypes are grouped (auto: spectral where the number of classes is told or counted, "
       "else "
       "by --search)",
       {"auto", "spectral", "louvain", "threshold", "affinity-propagation"});
  word("--search", a.search, "What finds groups where their number is unknown",
       {"louvain", "threshold", "affinity-propagation"});
  number("--search-first", c.range.first,
         "The search's first candidate, with the most groups: a resolution (Louvain), an affinity "
         "(threshold), a damping (affinity propagation); by itself 12, 0.99 or 0.99");
  number("--search-last", c.range.last,
         "Its last candidate; by itself 2 (6 above 10 known classes), 0.5 (0.05 with --affinity "
         "jaccard) or 0.5");
  number(
      "--search-steps", c.range.steps,
      "Steps from the first to the last, of which one more is open at every grouping; by itself as "
      "many as groupings, less one")
      ->check(CLI::Range(1, 1000000));
  word("--count-rule", a.count_rule,
       "How an unknown number of classes is found; hidden-classes is opencd+'s",
       {"hidden-classes", "progressive"});
  flag("drop-dead-prototypes", c.drop_dead, "opencd+: prototypes without rows make no groups");
  flag("ce-while-grouping", c.ce_while_grouping,
       "Use labels in the grouping stage though the number of classes is unknown");
  number("--warm-epochs", c.warm_epochs, "Epochs before the first grouping; by itself a thirtieth");
  flag("warm-head-only", c.warm_head_only,
       "opencd+: before the first grouping train head and prototypes, not an encoder from "
       "--weights");
  number("--grouping-epochs", c.grouping_epochs,
         "Epoch from which the groups stay; by itself 7 of 15, two groupings at least");
  number("--grouping-rows", c.grouping_rows,
         "Rows that grouping, or ORCA's uncertainty, looks at; 0: all");
  number("--grouping-sets", c.grouping_sets,
         "opencd+: sets of prototypes that decide together on spectral groups; 1: the method's own "
         "alone, by itself 9")
      ->check(CLI::Range(1, 100));
  flag("grouping-labels", c.grouping_labels,
       "opencd+: spectral groups hear labels: prototypes that labels tell apart are less alike");
  add_plus_options(verb, a.plus, group);
  verb.add_flag("--balanced-targets", a.balanced_targets,
                "opencd+: L_group with targets in which every group has its share")
      ->group(group);
  verb.add_flag("--strong-views", a.strong_views,
                "opencd+: second views with RandAugment and a cut-out")
      ->group(group);
  verb.add_flag("--whole-network", a.whole_network,
                "opencd+: train frozen stages too, once the groups are fixed")
      ->group(group);
  number("--sup-weight", a.sup_weight, "GCD: weight of the loss of labelled rows against InfoNCE");
  number("--most-classes", a.most_classes,
         "GCD: most classes that are searched for if their number is unknown; 0: 100, or four "
         "times the known ones");
  word("--dtc-variant", a.dtc_variant, "DTC: consistency of views, or averages over epochs",
       {"pi", "tep"});
  number("--tuning-share", a.tuning_share,
         "RankStats, DTC: share of the epochs, the first ones, that train on labelled rows alone; "
         "-1: the authors' share")
      ->check(CLI::Range(-1.0, 1.0));
  word("--values-of", a.values_of,
       "RankStats, DTC, FixMatch: the data set whose published values hold where you give none; "
       "auto: "
       "CIFAR-10's up to 10 known classes, CIFAR-100's above",
       {"auto", "cifar10", "cifar100"});
  number("--consistency-weight", a.consistency_weight,
         "RankStats, DTC: largest weight of the views' agreement; -1: the authors' (RankStats 5, "
         "CIFAR-100 50; DTC 10)")
      ->check(CLI::Range(-1.0, 1000.0));
  number(
      "--rise-share", a.rise_share,
      "RankStats: share of the epochs after tuning, DTC: after the warm-up, until that weight is "
      "reached; -1: the authors' (RankStats 0.25, CIFAR-100 0.75; DTC 0.05)")
      ->check(CLI::Range(-1.0, 1.0));
  number("--warm-share", a.warm_share,
         "DTC: share of the epochs after tuning that keep the first targets, the warm-up; -1: the "
         "authors' (10 of 110, CIFAR-100 30 of 130)")
      ->check(CLI::Range(-1.0, 1.0));
  number("--refresh-share", a.refresh_share,
         "DTC: share of the epochs after the warm-up between new targets; -1: the authors' (0.05, "
         "CIFAR-100 0.1)")
      ->check(CLI::Range(-1.0, 1.0));
  number("--pseudo-threshold", a.pseudo_threshold,
         "FixMatch: how sure a row must be of its class to be trained on it");
  number(
      "--novel-share", a.novel_share,
      "FixMatch, DS3L: share of novel rows among unlabelled ones; -1: the true share, which only "
      "a comparison can know");
}

void add_plus_options(CLI::App& verb, PlusArguments& a, const std::string& group) {
  verb.add_option("--labeled-share", a.labeled_share,
                  "opencd+: least share of labelled rows in a batch; 0: as OpenNCD draws them")
      ->check(CLI::Range(0.0, 0.99))
      ->capture_default_str()
      ->group(group);
  verb.add_flag("--balanced-prediction,!--no-balanced-prediction", a.balanced_prediction,
                "opencd+: every group has its share of the rows; without: the group of the nearest "
                "prototype, as OpenNCD predicts")
      ->group(group);
}

void PlusArguments::write(Json& options) const {
  options["labeled-share"] = labeled_share;
  options["balanced-prediction"] = balanced_prediction;
}

std::size_t parse_classes(const std::string& text) {
  if (text == "auto") return 0;
  std::size_t classes = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), classes);
  if (error != std::errc() || end != text.data() + text.size() || classes == 0)
    fail<UsageError>("--classes: expected auto or a number of 1 or more, got '{}'", text);
  return classes;
}

Json method_options(const MethodArguments& a) {
  Json options = to_json(a.open_ncd);
  options["losses"] = a.losses;
  options["affinity"] = a.affinity;
  options["grouping"] = a.grouping;
  options["search"] = a.search;
  options["count-rule"] = a.count_rule;
  options["proto-loss"] = !a.no_proto_loss;
  options["group-loss"] = !a.no_group_loss;
  a.plus.write(options);
  options["balanced-targets"] = a.balanced_targets;
  options["strong-views"] = a.strong_views;
  options["whole-network"] = a.whole_network;
  options["sup-weight"] = a.sup_weight;
  options["most-classes"] = a.most_classes;
  options["dtc-variant"] = a.dtc_variant;
  options["values-of"] = a.values_of;
  for (const auto& [name, value] : {std::pair{"tuning-share", a.tuning_share},
                                    {"consistency-weight", a.consistency_weight},
                                    {"rise-share", a.rise_share},
                                    {"warm-share", a.warm_share},
                                    {"refresh-share", a.refresh_share}})
    if (value >= 0.0) options[name] = value;
  options["pseudo-threshold"] = a.pseudo_threshold;
  options["novel-share"] = a.novel_share;
  return options_of_method(a.method, options);
}

ModelDescription describe_model(const LearningArguments& arguments,
                                const data::ImageSet& set,
                                const data::OpenWorldSplit& split) {
  ModelDescription model;
  model.encoder = {arguments.arch,
                   arguments.stem == "imagenet" ? nn::Stem::imagenet : nn::Stem::cifar,
                   arguments.width, static_cast<std::int64_t>(set.shape.channels)};
  model.picture = set.shape;
  const PixelStatistics pixels = pixel_statistics(set);
  model.mean = pixels.mean;
  model.std = pixels.std;
  for (const std::int32_t label : split.class_order)
    model.class_names.push_back(set.class_names[static_cast<std::size_t>(label)]);
  model.known = split.known;
  model.data_hash = set.hash;
  model.split_hash = split.hash();
  return model;
}

TrainerConfig trainer_config(const LearningArguments& arguments,
                             const ModelDescription& model,
                             const CommonOptions& common) {
  TrainerConfig config;
  config.encoder = model.encoder.network();
  config.encoder.freeze = freeze_point(arguments.freeze_until);
  config.encoder.frozen_norm =
      arguments.frozen_norm == "fixed" ? nn::FrozenNorm::fixed : nn::FrozenNorm::batch;
  config.batch = arguments.batch;
  config.epochs = arguments.epochs;
  config.train_view = kernels::augment_preset(arguments.augment);
  config.train_view.mean = model.mean;
  config.train_view.std = model.std;
  config.train_view.height = config.train_view.width = arguments.crop;
  config.test_view = model.test_view();
  config.seed = common.seed;
  config.deterministic = common.deterministic;
  return config;
}

}  // namespace opencd::cli
